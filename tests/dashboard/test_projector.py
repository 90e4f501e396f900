"""The page for a projector, in each phase of an event."""

import re
from datetime import UTC, datetime

import psycopg
import pytest

from arena.database.rows import MatchRow, SeatRow
from arena.match.clock import DEFAULT_TIME_CONTROL
from arena.match.transcript import Entrant
from arena.records import VersionId
from arena.scheduling.formats import FormatName
from arena.server.app.store import Store
from arena.server.events.finals.standings import FinalLine
from arena_dashboard.events.projector_data import next_match
from arena_dashboard.events.projector_tables import results
from tests.dashboard.pages import html, open_page, player_bytes, texts, unpacked
from tests.dashboard.test_event_pages import Sql, held, played, released, words
from tests.server.events.cups import let_pass, queued
from tests.server.events.cups import played as played_match


async def live(store: Store, sql: Sql) -> None:
    """A live final of which one block is played."""
    sql.execute("UPDATE events SET live = true")
    let_pass(sql, "cup", 2.1)
    await store.finals.keep(store.record)
    block = queued(sql)[0]
    found = await store.finals.begin_block(block)
    assert found is not None
    matches = list(map(played_match, found.matches))
    await store.finals.end_block(block, matches, await store.signer())
    await store.finals.publish(store.record)


async def opened(_store: Store, _sql: psycopg.Connection[object]) -> None:
    pass


def test_without_an_event_it_says_which_it_needs(arena: str) -> None:
    assert "Name the event in the address" in texts(open_page("projector"))
    said = texts(open_page("projector", event="<b>none</b>"))
    assert r"There is no event “\<b\>none\</b\>”" in said


def test_before_the_final_it_shows_who_entered_and_what_comes(arena: str) -> None:
    held(arena, opened)
    app = open_page("projector", event="cup")
    assert not app.exception
    assert "A cup" in words(app)
    assert "Entries close in" in words(app)
    assert "2 bots ann bot-ann bob bot-bob" in words(app)


def test_of_a_blind_final_it_shows_the_date_of_the_results_and_nothing_else(arena: str) -> None:
    held(arena, played)
    app = open_page("projector", event="cup")
    assert not app.exception
    shown = re.sub(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC", "DATE", words(app))
    rules = "Bluff · dice per player 2 · 2 seats · round-robin · 2 deal blocks of 2 matches for "
    assert shown == f"A cup {rules}each pairing Results in DATE"


def test_when_results_are_due_before_all_is_played_it_says_for_what_they_wait(arena: str) -> None:
    async def overdue(store: Store, sql: Sql) -> None:
        let_pass(sql, "cup", 2.1)
        await store.finals.keep(store.record)
        let_pass(sql, "cup", 1)

    held(arena, overdue)
    shown = words(open_page("projector", event="cup"))
    assert "Results once all is played" in shown and "Results in" not in shown
    assert "results once all is played" in words(open_page("events"))
    assert "Results are released, once all is played" in words(open_page("events", name="cup"))


def test_of_a_live_final_it_shows_the_standings_the_tables_and_a_match(arena: str) -> None:
    held(arena, live)
    app = open_page("projector", event="cup")
    assert not app.exception
    shown = words(app)
    assert "Standings 1" in shown
    assert re.search(r"At the tables bot-\w+ – bot-\w+ 1 of 2", shown)
    match = unpacked(player_bytes(app))
    assert match["projected"] and match["over"]
    assert set(match["bots"]) == {"bot-ann", "bot-bob"}
    assert match["view"] == "everything"


def test_results_come_one_after_another(arena: str) -> None:
    held(arena, released)
    app = open_page("projector", event="cup")
    assert not app.exception
    screens = re.findall(r"<section [^>]*>", html(app))
    assert len(screens) >= 1
    assert "Results in" not in words(app)


def _lines(*places: int) -> list[FinalLine]:
    return [
        FinalLine(place, Entrant(f"bot{at}", "1", "me"), 20.0 - at, None, 10)
        for at, place in enumerate(places, start=1)
    ]


def test_the_winner_is_on_the_last_screen_and_the_last_places_on_the_first() -> None:
    screens = results(_lines(*range(1, 13)), {"bot1": "The A team"}, ()).split("<section")[1:]
    shown = [re.sub(r"<[^>]*>", " ", one) for one in screens]
    assert "Places 5 to 12" in shown[0]
    assert "Place 4" in shown[1]
    assert [("Third" in one, "Second" in one, "Winner" in one) for one in shown[2:]] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]
    assert "The A team · bot1" in shown[-1]
    assert "bot1 " not in " ".join(shown[:-1])


def test_winners_that_share_the_place_are_on_the_last_screens_the_best_last() -> None:
    screens = results(_lines(*[1] * 10), {}, ()).split("<section")[1:]
    assert len(screens) == 2
    assert "Winner, shared by 10" in screens[0]
    assert "bot10" in screens[0] and "bot1<" not in screens[0]
    assert "bot1<" in screens[1]


def _row(match_id: str, *bots: str) -> MatchRow:
    now = datetime.now(UTC)
    seats = tuple(
        SeatRow(VersionId(seat), bot, "1", "me", 1, None, 0, forfeited=False)
        for seat, bot in enumerate(bots)
    )
    return MatchRow(
        *(match_id, "bluff", {}, len(bots), "block", 0, "completed", False, now, now),
        *(DEFAULT_TIME_CONTROL, False, False, seats),
    )


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ([], "m4"),
        (["m4"], "m2"),  # m3 is of the same bots
        (["m4", "m2"], "m3"),
        (["m4", "m2", "m3"], "m1"),
        (["m4", "m2", "m3", "m1"], "m4"),
        (["gone"], "m4"),
    ],
)
def test_the_next_match_is_the_newest_of_other_bots_and_then_the_one_shown_longest_ago(
    shown: list[str], expected: str
) -> None:
    found = [_row("m4", "a", "b"), _row("m3", "b", "a"), _row("m2", "c", "d"), _row("m1", "c", "d")]
    assert next_match(found, shown) == expected


def test_without_a_match_there_is_no_next_one() -> None:
    assert next_match([], ["gone"]) is None


@pytest.mark.slow
def test_a_knockout_shows_its_rounds_first(arena: str) -> None:
    async def knockout(store: Store, sql: Sql) -> None:
        sql.execute("UPDATE events SET format = %s", (FormatName.KNOCKOUT.value,))
        await released(store, sql)

    held(arena, knockout)
    app = open_page("projector", event="cup")
    assert not app.exception
    assert "Winner" in words(app)
