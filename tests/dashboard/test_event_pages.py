"""The page of events: the list, one of them in each phase, and what it must not show."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any
from xml.etree import ElementTree

import psycopg
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from arena.server.app.store import Store, open_store
from arena_dashboard.events import event_data, event_downloads
from arena_dashboard.serving import feeds
from arena_dashboard.tournaments import tournament_data
from tests.dashboard.pages import html, open_page, texts
from tests.databases import plain
from tests.server.events.cups import done, entrant, let_pass, played_out, queued, said
from tests.server.events.cups import played as played_match
from tests.server.events.test_connected_entries import connecting

Sql = psycopg.Connection[Any]


def held(url: str, use: Callable[[Store, Sql], Awaitable[None]]) -> None:
    """Make an event with two entries, and use the store on it."""

    async def run() -> None:
        async with open_store(url) as store:
            with psycopg.connect(plain(url), autocommit=True) as sql:
                await store.events.create("cup", said(), "me")
                for name in ("ann", "bob"):
                    await entrant(store, url, "cup", name)
                await use(store, sql)

    asyncio.run(run())


async def nothing(_store: Store, _sql: Sql) -> None:
    pass


async def frozen(store: Store, sql: Sql) -> None:
    let_pass(sql, "cup", 1.1)
    await store.finals.keep(store.record)


async def played(store: Store, sql: Sql) -> None:
    let_pass(sql, "cup", 2.1)
    await store.finals.keep(store.record)
    await played_out(store, sql, (await store.events.named("cup"))[0])


async def released(store: Store, sql: Sql) -> None:
    await played(store, sql)
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)


async def with_connected(store: Store, sql: Sql) -> None:
    await store.events.create("open-cup", said(connected=True), "me")
    await connecting(store, "open-cup", "eve")
    let_pass(sql, "open-cup", 1.1)
    await store.finals.keep(store.record)


def words(app: AppTest) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html(app)).split())


def test_without_an_event_the_page_says_how_to_make_one(arena: str) -> None:
    app = open_page("events")
    assert not app.exception
    assert "arena event example" in texts(app)


def test_an_open_event_shows_dates_entries_and_the_commitment_but_no_builds(arena: str) -> None:
    held(arena, nothing)
    app = open_page("events")
    assert "A cup open for entries" in words(app)
    app = open_page("events", name="cup")
    assert not app.exception
    shown = words(app)
    assert "open for entries" in shown
    assert re.search(r"ann bot-ann ann 20\d\d-", shown)
    assert "Build of the final" not in shown
    assert re.search(r"published before anybody entered: [0-9a-f]{64}", shown)


def test_a_frozen_event_shows_the_builds_of_the_final(arena: str) -> None:
    held(arena, frozen)
    shown = words(open_page("events", name="cup"))
    assert "builds are fixed" in shown
    assert re.search(r"v1 [0-9a-f]{12}…", shown)


@pytest.mark.slow
def test_nothing_of_a_final_is_shown_before_its_results_are_out(arena: str) -> None:
    held(arena, played)
    app = open_page("events", name="cup")
    assert not app.exception
    assert "is played in secret" in texts(app)
    assert "Points" not in words(app)
    assert "The seed, opened" not in words(app)
    assert "no tournament" in texts(open_page("tournaments"))
    assert "No matches" in texts(open_page("matches")) or "Replay" not in words(
        open_page("matches")
    )


def test_the_results_of_a_live_final_are_those_of_its_end_for_who_watched_it_before(
    arena: str,
) -> None:
    async def watched(store: Store, sql: Sql) -> None:
        sql.execute("UPDATE events SET live = true")
        let_pass(sql, "cup", 2.1)
        await store.finals.keep(store.record)
        block = queued(sql)[0]
        found = await store.finals.begin_block(block)
        assert found is not None
        matches = list(map(played_match, found.matches))
        await store.finals.end_block(block, matches, await store.signer())
        done(sql)
        await store.finals.keep(store.record)
        name = (await store.events.named("cup"))[0].tournament
        view = tournament_data.tournament_view(name or "")
        assert view is not None and sum(line.blocks for line in view.standings) == 2
        await released(store, sql)

    held(arena, watched)
    seen = event_data.named("cup", None)
    assert seen is not None and seen.event.released_at is not None
    for _ in range(2):
        assert [line.blocks for line in event_data.results(seen.event)] == [2, 2]


@pytest.mark.slow
def test_results_are_shown_with_their_errors_and_lead_to_the_replays(arena: str) -> None:
    held(arena, released)
    app = open_page("events", name="cup")
    assert not app.exception
    shown = words(app)
    assert re.search(r"Place Team Bot Points", shown)
    assert re.search(r"[\d.]+ ± [\d.]+", shown)
    assert 'href="tournaments?name=cup"' in html(app)
    assert "The seed, opened with the results" in shown
    assert "2 of 2" in words(open_page("tournaments", name="cup"))
    assert "unrated" in words(open_page("matches"))
    assert "not rated yet" not in words(open_page("matches"))


def test_an_unknown_event_is_said(arena: str) -> None:
    app = open_page("events", name="<b>none</b>")
    assert not app.exception
    assert any("There is no event" in warning.value for warning in app.warning)


def test_a_private_event_is_on_no_page_and_in_no_feed(arena: str) -> None:
    async def private(_store: Store, sql: Sql) -> None:
        sql.execute("UPDATE events SET private = true")

    held(arena, private)
    assert "There is no event “cup”" in str(texts(open_page("events", name="cup")))
    assert "There is no event yet" in str(texts(open_page("events")))
    assert "There is no event “cup”" in str(texts(open_page("projector", event="cup")))
    client = TestClient(Starlette(routes=[*feeds.ROUTES, *event_downloads.ROUTES]))
    for kind in ("zip", "jsonl", "csv"):
        assert client.get(f"/downloads/events/cup.{kind}").status_code == 404
    assert client.get("/feeds/events/cup.atom").status_code == 404


def test_a_link_with_a_code_looks_the_same_whether_there_is_such_an_event(arena: str) -> None:
    async def private(_store: Store, sql: Sql) -> None:
        sql.execute("UPDATE events SET private = true")

    held(arena, private)
    pages = [open_page("events", name=name, code="ABCD") for name in ("cup", "mug")]
    there, absent = (str(texts(page)) + html(page) for page in pages)
    assert "Enter an event" in there
    assert there.replace("cup", "mug") == absent


def test_the_text_of_an_event_is_markdown_without_html(
    arena: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def with_text(_store: Store, sql: Sql) -> None:
        sql.execute("UPDATE events SET text = '**Bold** <script>x</script>', title = '*Cup*'")

    held(arena, with_text)
    app = open_page("events", name="cup")
    (shown,) = [one for one in app.markdown if "Bold" in one.value]
    assert not shown.proto.allow_html
    assert any(title.value == r"\*Cup\*" for title in app.title)


def test_the_feed_and_the_page_of_an_event_have_its_notices(arena: str) -> None:
    async def noticed(store: Store, sql: Sql) -> None:
        await frozen(store, sql)
        await store.event_notices.keep()

    held(arena, noticed)
    client = TestClient(Starlette(routes=feeds.ROUTES), base_url="http://arena.example")
    answer = client.get("/feeds/events/cup.atom")
    assert answer.status_code == 200
    assert "A cup: the builds are fixed; the final begins" in words(open_page("events", name="cup"))
    assert answer.headers["content-type"].startswith("application/atom+xml")
    feed = ElementTree.fromstring(answer.content)
    atom = "{http://www.w3.org/2005/Atom}"
    assert feed.findtext(f"{atom}title") == "A cup"
    titles = [entry.findtext(f"{atom}title") or "" for entry in feed.iter(f"{atom}entry")]
    assert any(title.startswith("A cup: the builds are fixed") for title in titles)
    link = next(entry.find(f"{atom}link") for entry in feed.iter(f"{atom}entry"))
    assert link is not None
    assert link.get("href") == "http://arena.example/events?name=cup"
    assert client.get("/feeds/events/none.atom").status_code == 404


def test_of_a_connected_bot_the_page_says_that_its_program_was_not_frozen(arena: str) -> None:
    held(arena, with_connected)
    shown = words(open_page("events", name="open-cup"))
    assert "v1 connected: the program was not frozen" in shown
    assert "2 seat blocks of 2 matches" in shown
    assert "which may change unnoticed" in texts(open_page("events", name="open-cup"))
