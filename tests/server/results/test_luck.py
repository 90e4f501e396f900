"""Luck stands beside a result, comes and goes without it, and never stands in its way."""

from dataclasses import replace
from uuid import uuid4

import psycopg
import pytest

from arena.codec.transcript import to_bytes
from arena.database.errors import RecordRefusedError
from arena.database.reading import Reader
from arena.database.transcripts import packer
from arena.games.bluff import CupRoll, Doubt, Face
from arena.games.game import DEALER
from arena.lab.luck import luck_of, table_of
from arena.match.transcript import Step, Transcript
from arena.records import FinishedMatch, VersionId
from arena.server.app.store import Store
from arena.server.results.luck import measured_again
from tests import recorded_matches
from tests.commands.running import arena, beside
from tests.lab.luck.matches import careless, series
from tests.ladder_log import rated_results
from tests.recorded_results import finished, match_id

Versions = tuple[VersionId, ...]


def with_transcript(versions: Versions, played: Transcript) -> FinishedMatch:
    seats = len(played.setup.entrants)
    setup = replace(played.setup, match_id=str(uuid4()))
    transcript = replace(played, setup=setup)
    base = finished(versions[:seats])
    return replace(base, transcript=transcript, written=to_bytes(transcript))


def played_matches(versions: Versions, count: int, seats: int = 2) -> list[FinishedMatch]:
    return [with_transcript(versions, one.transcript) for one in series(careless(seats), count)]


def impossible(versions: Versions) -> FinishedMatch:
    """A record whose luck cannot be told: a seat acts that is not there."""
    match = finished(versions[:2])
    steps = (Step(DEALER, CupRoll(((Face.ONE,), (Face.TWO,)))), Step(5, Doubt()))
    transcript = replace(match.transcript, steps=steps)
    return replace(match, transcript=transcript, written=to_bytes(transcript))


def lucks(read: Reader, seats: int = 2) -> dict[str, list[float] | None]:
    return {row.match_id: row.luck for row in rated_results(read, "bluff", {}, [seats])}


def expected(matches: list[FinishedMatch]) -> dict[str, list[float] | None]:
    return {match_id(match): list(luck_of(match.transcript).seats) for match in matches}


@pytest.mark.parametrize("seats", [2, 3])
async def test_a_result_is_recorded_with_its_luck(
    read: Reader, store: Store, versions: Versions, seats: int
) -> None:
    matches = played_matches(versions, 30, seats)
    await store.record(matches)
    assert lucks(read, seats) == expected(matches)
    row = await recorded_matches.match(store, match_id(matches[0]))
    assert row is not None
    assert row.luck == list(luck_of(matches[0].transcript).seats)
    assert await store.luck.missing() == 0


async def test_recording_again_changes_no_luck(
    read: Reader, store: Store, versions: Versions
) -> None:
    one, other = played_matches(versions, 2)
    await store.record([one])
    setup = replace(other.transcript.setup, match_id=match_id(one))
    await store.record([replace(one, transcript=replace(other.transcript, setup=setup))])
    assert lucks(read) == expected([one])


async def test_a_result_whose_luck_cannot_be_told_is_recorded_all_the_same(
    read: Reader, store: Store, versions: Versions
) -> None:
    matches = [*played_matches(versions, 3), impossible(versions)]
    with pytest.raises(IndexError):
        luck_of(matches[-1].transcript)
    await store.record(matches)
    found = lucks(read)
    assert found == expected(matches[:-1]) | {match_id(matches[-1]): None}


async def test_a_batch_that_is_refused_leaves_no_luck(
    store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    matches = played_matches(versions, 3)
    with pytest.raises(RecordRefusedError):
        await store.record([*matches, finished((versions[0], VersionId(4711)))])
    assert sql.execute("SELECT count(*) FROM match_luck").fetchone() == (0,)


@pytest.mark.slow
async def test_luck_that_was_thrown_away_is_measured_again(
    read: Reader, store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    matches = [*played_matches(versions, 12), impossible(versions)]
    await store.record(matches)
    before = lucks(read)
    sql.execute("DELETE FROM match_luck")
    assert set((lucks(read)).values()) == {None}
    assert await store.luck.missing() == 13
    told = [done async for done in store.luck.measure_missing()]
    assert (told.count(True), told.count(False)) == (12, 1)
    assert lucks(read) == before
    assert [done async for done in store.luck.measure_missing()] == [False]


def test_a_damaged_transcript_has_no_luck_and_keeps_its_place_among_the_others() -> None:
    (played,) = series(careless(2), 1)
    whole = packer()(to_bytes(played.transcript))
    found = measured_again([("1", replace(whole, sha256=bytes(32))), ("2", whole)])
    assert [one is None for one in found] == [True, False]


async def test_luck_by_another_table_does_not_count_and_is_replaced(
    read: Reader, store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    matches = played_matches(versions, 3)
    await store.record(matches)
    sql.execute("DELETE FROM match_luck")
    sql.execute(
        "INSERT INTO match_luck SELECT id, 'bluff_0.json', sha256('old'), '{0.5,-0.5}' FROM matches"
    )
    assert set((lucks(read)).values()) == {None}
    assert [row.luck for row in await recorded_matches.matches(store)] == [None] * 3
    assert [done async for done in store.luck.measure_missing()] == [True] * 3
    assert lucks(read) == expected(matches)
    tables = sql.execute("SELECT DISTINCT table_file, encode(table_sha256, 'hex') FROM match_luck")
    assert tables.fetchall() == [tuple(table_of("bluff") or ())]


async def test_the_database_keeps_luck_from_being_altered(
    store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    await store.record(played_matches(versions, 1))
    with pytest.raises(psycopg.errors.RestrictViolation):
        sql.execute("UPDATE match_luck SET luck = '{0,0}'")


async def test_the_database_refuses_luck_that_is_not_one_number_for_each_seat(
    store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    await store.record(played_matches(versions, 1))
    sql.execute("DELETE FROM match_luck")
    for numbers in (
        *("{}", "{0.5}", "{0.5,-0.25,-0.25}", "{{0.5},{-0.5}}"),
        *("{0.5,NaN}", "{Infinity,-Infinity}", "{NULL,0.5}"),
    ):
        with pytest.raises(psycopg.errors.CheckViolation):
            sql.execute(
                "INSERT INTO match_luck SELECT id, 'bluff_1.json', sha256('any'), %s FROM matches",
                [numbers],
            )
    assert await store.luck.missing() == 1


async def test_luck_of_other_seats_is_not_read_even_where_the_database_holds_it(
    read: Reader, store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    await store.record(played_matches(versions, 2))
    sql.execute("ALTER TABLE match_luck DISABLE TRIGGER USER")
    sql.execute("UPDATE match_luck SET luck = '{0.5,-0.25,-0.25}'")
    assert set((lucks(read)).values()) == {None}
    assert [row.luck for row in await recorded_matches.matches(store)] == [None, None]


async def test_the_command_measures_the_luck_that_is_missing(
    read: Reader,
    store: Store,
    versions: Versions,
    sql: psycopg.Connection,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matches = played_matches(versions, 5)
    await store.record(matches)
    sql.execute("DELETE FROM match_luck")
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    # The command has an event loop of its own.
    assert "Measured the luck of 5 matches." in await run("--missing")
    assert lucks(read) == expected(matches)
    assert "Measured the luck of 0 matches." in await run("--missing")
    assert await run("--missing", "--json") == '{\n  "measured": 0,\n  "failed": 0\n}\n'


async def run(*arguments: str) -> str:
    outcome = await beside("luck", *arguments)
    assert outcome.exit_code == 0, outcome.output
    return outcome.output


def test_luck_is_told_of_one_match_or_of_all_that_lack_it() -> None:
    for arguments in ([], ["match.json", "--missing"]):
        outcome = arena("luck", *arguments)
        assert outcome.exit_code == 2
        assert "or use --missing" in outcome.output
