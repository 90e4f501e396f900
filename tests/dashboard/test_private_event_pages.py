"""The pages of a private event: its members see all of it, an operator organises it."""

import re
from dataclasses import replace

import psycopg
import pytest

from arena.scheduling.formats import FormatName
from tests.dashboard.test_event_pages import words
from tests.dashboard.test_owner_pages import Visitor, visitor
from tests.databases import plain
from tests.jobs import accept_build
from tests.scene import Scene
from tests.server.events.cups import RULES, done, let_pass, played_out, queued, said, uploaded
from tests.server.events.test_ladders import LADDER, play


async def at(person: Visitor, page: str, **query: str) -> str:
    """The words on a page."""
    await person.open(page)
    for name, value in query.items():
        person.app.query_params[name] = value
    await person.run()
    return f"{words(person.app)} {person.sees}"


async def private(scene: Scene, url: str, sql: "psycopg.Connection[object]") -> None:
    """A private knockout with three entries, of whose ladder eight blocks are played."""
    store, rules = scene.arena.store, replace(RULES, format=FormatName.KNOCKOUT)
    await store.events.create("cup", said(rules, ladder=LADDER, private=True), "me")
    for name in ("bob", "dan", "eve"):
        owner = await store.owners.by_key(await scene.key(name))
        assert owner is not None
        await uploaded(store, owner, f"bot-{name}")
        await accept_build(store, url, f"bot-{name}")
        await store.events.enter(owner, "cup", f"bot-{name}")
    await store.ladders.keep()
    for block in queued(sql):
        await play(store, block)
    done(sql)


@pytest.mark.slow
async def test_members_see_its_bracket_and_an_operator_the_ratings_but_no_link_to_its_page(
    scene: Scene, arena: str
) -> None:
    store = scene.arena.store
    await scene.key("root")
    await store.owners.make_operator("root", "operator")
    with psycopg.connect(plain(arena), autocommit=True) as sql:
        await private(scene, arena, sql)
        shown = await at(await visitor(scene, "submit", "root"), "organise", event="cup")
        assert "3 of 3 have entered" in shown
        assert re.search(r"bot-bob v1 \S+ \S+ UTC \d+ \d+ -?\d+", shown)
        assert "Event page" not in shown
        let_pass(sql, "cup", 2.1)
        await store.finals.keep(store.record)
        await played_out(store, sql, (await store.events.named("cup"))[0])
        let_pass(sql, "cup", 1)
        await store.finals.keep(store.record)
    bob = await visitor(scene, "submit", "bob")
    shown = await at(bob, "projector", event="cup")
    assert "Round 1" in shown and "Winner" in shown
    shown = await at(bob, "events", name="cup")
    assert "Won by" in shown and "Place Team Bot Points" in shown
    stranger = await visitor(scene, "submit", "mallory")
    assert "There is no event" in await at(stranger, "projector", event="cup")
    for person in (stranger, bob):
        shown = await at(person, "bot", bot="bot-bob")
        assert "bobs-owner" in shown or "by bob" in shown
        # Its matches are of the event alone.
        assert "Deception" not in shown and "Last matches" not in shown
