"""How long a tournament takes is said beforehand, with the slots that there are."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from arena.records import VersionId
from arena.server.app.store import Store
from arena.server.tournaments.duration import (
    CHANGE_SECONDS,
    ENOUGH,
    MATCH_SECONDS,
    PlayingSpeed,
    duration,
    in_words,
)
from arena.server.tournaments.tournament import Rules
from tests.recorded_results import finished
from tests.server.tournaments.test_tournaments import both_rotations, created, opened
from tests.server.tournaments.test_withdrawals import FormatName, begun


def rules(seats: int = 2) -> Rules:
    return begun(FormatName.ROUND_ROBIN, seats, seats).tournament.rules


@pytest.mark.parametrize(
    ("pace", "tables", "seconds"),
    [
        # Bots that are connected by themselves play all at once.
        (PlayingSpeed(20, 0, 0, 1.0), 10, 190 * 2 / 10),
        # A slot for each.
        (PlayingSpeed(20, 20, 20, 1.0), 10, 190 * 2 / 10),
        (PlayingSpeed(20, 20, 50, 1.0), 10, 190 * 2 / 10),
        # One table at a time, and another bot for each.
        (PlayingSpeed(20, 20, 2, 1.0), 1, 190 * (2 + CHANGE_SECONDS)),
        # Who comes in meets five that are there.
        (PlayingSpeed(20, 20, 6, 1.0), 3, 190 * (2 + CHANGE_SECONDS / 5) / 3),
        # Others need no slot.
        (PlayingSpeed(20, 10, 2, 1.0), 6, 190 * (2 + CHANGE_SECONDS / 11) / 6),
    ],
)
def test_a_round_robin_of_twenty_takes_as_long_as_slots_and_matches_make_it(
    pace: PlayingSpeed, tables: int, seconds: float
) -> None:
    found = duration(rules(), pace, 190)
    assert found.time is not None
    assert found.tables == tables
    assert found.time.total_seconds() == pytest.approx(seconds)


def test_it_is_said_in_a_sentence() -> None:
    said = in_words(rules(), PlayingSpeed(20, 20, 2, 0.5), 190)
    assert (
        said == "190 blocks, 1 table at a time, with 2 slots for 20 hosted bots: about 13 minutes."
    )
    assert (
        in_words(rules(), PlayingSpeed(4, 0, 0, 0.5), 1)
        == "1 block, 2 tables at a time: about 1 s."
    )


def test_once_some_blocks_are_played_their_pace_counts() -> None:
    said = in_words(rules(), PlayingSpeed(20, 20, 2, 0.5, block_seconds=9.0), 100)
    assert said.endswith("for 20 hosted bots: about 15 minutes at the pace so far.")


@pytest.mark.parametrize("slots", [0, 1, 2])
def test_too_few_slots_for_a_table_are_named(slots: int) -> None:
    pace = PlayingSpeed(6, 6, slots, 1.0)
    assert duration(rules(3), pace, 20).time is None
    assert "a table takes 3 bots at the same time" in in_words(rules(3), pace, 20)


async def test_the_pace_is_that_of_the_last_matches_and_of_workers_that_are_there(
    store: Store, versions: tuple[VersionId, ...], sql: "psycopg.Connection[object]"
) -> None:
    tournament = await created(store, versions)
    assert await store.tournament_bots.pace(tournament) == PlayingSpeed(
        len(versions), 0, 0, MATCH_SECONDS
    )
    ends = datetime.now(UTC)
    began = ends - timedelta(seconds=4)
    await store.record([replace(finished(versions[:2]), started_at=began, finished_at=ends)])
    worker = await store.workers.by_token(await store.workers.add("one", "test"))
    gone = await store.workers.by_token(await store.workers.add("gone", "test"))
    assert worker is not None and gone is not None
    await store.workers.tell_seen(worker, 6)
    await store.workers.tell_seen(gone, 9)
    sql.execute("UPDATE workers SET seen_at = now() - interval '2 hours' WHERE name = 'gone'")
    assert (await store.tournament_bots.pace(tournament)).slots == 0, (
        "no worker gives a sign of life"
    )
    await store.workers.expect(30)
    assert await store.tournament_bots.pace(tournament) == PlayingSpeed(len(versions), 0, 6, 4.0)


async def test_the_pace_so_far_is_known_after_some_blocks(
    store: Store, versions: tuple[VersionId, ...]
) -> None:
    tournament = await created(store, versions)
    for _ in range(ENOUGH):
        assert (await store.tournament_bots.pace(tournament)).block_seconds is None
        await store.record(
            both_rotations((versions[1], versions[0]), await opened(store, tournament))
        )
    found = (await store.tournament_bots.pace(tournament)).block_seconds
    assert found is not None and 0 < found < 60
