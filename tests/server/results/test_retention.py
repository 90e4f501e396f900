"""Transcripts of old matches are removed if the policy says so; results and ratings stay."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from arena.database.errors import TranscriptNotKeptError
from arena.database.reading import Reader, open_reader
from arena.rating.ladder_id import LadderId
from arena.records import VersionId
from arena.server.app.store import Store
from arena.server.boards.live_board import LiveBoard
from arena.server.results.export import open_archive
from arena.server.results.match_finding import match_named, transcript_named
from arena.server.results.statements import Selection
from tests.recorded_results import finished, match_id


@pytest.fixture
def read(database: str) -> Iterator[Reader]:
    with open_reader(database) as reader:
        yield reader


async def played(store: Store, versions: Sequence[VersionId], *days: float) -> list[str]:
    """The ids of matches that ended so many days ago."""
    found = []
    for ago in days:
        ended = datetime.now(UTC) - timedelta(ago)
        match = replace(finished(versions[:2]), started_at=ended, finished_at=ended)
        await store.record([match])
        found.append(match_id(match))
    return found


def kept(sql: psycopg.Connection) -> set[str]:
    return {str(row[0]) for row in sql.execute("SELECT match_id FROM transcripts")}


async def test_without_a_policy_nothing_is_removed(
    store: Store, versions: Sequence[VersionId], sql: psycopg.Connection
) -> None:
    ids = await played(store, versions, 4_000, 1)
    assert (await store.retention.run()).matches == 0
    assert kept(sql) == set(ids)


async def test_old_transcripts_go_and_results_and_ratings_stay(
    store: Store, versions: Sequence[VersionId], sql: psycopg.Connection, read: Reader
) -> None:
    old, older, young = await played(store, versions, 31, 400, 29)
    ladder = LadderId.of("bluff", {}, (2,))
    before = LiveBoard(ladder, read).now()
    sql.execute(
        "INSERT INTO match_analyses VALUES (%s, 'e', 'abcd'), (%s, 'e', 'ab')", (old, young)
    )
    sql.execute("INSERT INTO match_faults VALUES (%s, 1, 'late', NULL)", (old,))
    size = sum(
        row[0]
        for row in sql.execute(
            "SELECT octet_length(data) FROM transcripts WHERE match_id <> %s", (young,)
        )
    )
    await store.policies.change({"transcript_days": 30}, "operator")
    removed = await store.retention.run()
    assert (removed.matches, removed.bytes) == (2, size + 4)
    assert kept(sql) == {young}
    assert sql.execute("SELECT match_id::text FROM match_analyses").fetchall() == [(young,)]
    assert sql.execute("SELECT count(*) FROM match_faults").fetchone() == (0,)
    after = LiveBoard(ladder, read).now()
    assert after.lines == before.lines
    assert after.matches == 3
    for gone in (old, older):
        assert match_named(read, gone) is not None
        with pytest.raises(TranscriptNotKeptError, match=r"no longer kept: .* at 20..-.* UTC"):
            transcript_named(read, gone)
    assert transcript_named(read, young) is not None
    assert transcript_named(read, "0" * 32) is None


async def test_transcripts_of_tournaments_are_kept(
    store: Store, versions: Sequence[VersionId], sql: psycopg.Connection
) -> None:
    cup, _ = await played(store, versions, 100, 100)
    sql.execute("ALTER TABLE tournament_blocks DROP CONSTRAINT tournament_blocks_pairing_fk")
    sql.execute(
        "INSERT INTO tournament_blocks SELECT block_id, 1, 1, 1 FROM matches WHERE id = %s",
        (cup,),
    )
    await store.policies.change({"transcript_days": 30}, "operator")
    assert (await store.retention.run()).matches == 1
    assert kept(sql) == {cup}
    with pytest.raises(psycopg.errors.RestrictViolation, match="Results are only ever added"):
        sql.execute("DELETE FROM transcripts")


async def test_steps_are_bounded_and_no_run_looks_at_a_match_twice(
    store: Store, versions: Sequence[VersionId], sql: psycopg.Connection
) -> None:
    await played(store, versions, *range(40, 47))
    await store.policies.change({"transcript_days": 30}, "operator")
    first = await store.retention.run(step_matches=2)
    assert first.matches == 7
    assert sql.execute("SELECT matches, bytes FROM transcript_removals").fetchall() == [
        (7, first.bytes)
    ]
    again = await store.retention.run()
    assert (again.matches, again.removal) == (0, None)
    # Of what is older than the last run came, nothing is looked at any more.
    await played(store, versions, 100, 35)
    assert (await store.retention.run()).matches == 1


async def test_while_another_referee_removes_transcripts_this_one_does_not(
    store: Store, versions: Sequence[VersionId], sql: psycopg.Connection
) -> None:
    await played(store, versions, 40)
    await store.policies.change({"transcript_days": 30}, "operator")
    sql.execute("SELECT pg_advisory_lock(7236411)")
    assert (await store.retention.run()).matches == 0
    sql.execute("SELECT pg_advisory_unlock_all()")
    assert (await store.retention.run()).matches == 1


async def test_the_database_refuses_to_lose_a_transcript_that_the_policy_keeps(
    store: Store, versions: Sequence[VersionId], sql: psycopg.Connection
) -> None:
    await played(store, versions, 29)
    await store.policies.change({"transcript_days": 30}, "operator")
    for statement in (
        "DELETE FROM transcripts",
        "UPDATE transcripts SET data = ''",
        "TRUNCATE transcripts",
    ):
        with pytest.raises(psycopg.errors.RestrictViolation, match="Results are only ever added"):
            sql.execute(statement)


async def test_an_export_has_the_transcripts_that_are_kept(
    store: Store, versions: Sequence[VersionId], database: str
) -> None:
    _, young = await played(store, versions, 40, 1)
    await store.policies.change({"transcript_days": 30}, "operator")
    await store.retention.run()
    with open_archive(database) as archive:
        found = [one.setup.match_id for one in archive.transcripts(Selection())]
        assert (found, archive.count(Selection())) == ([young], 2)
        assert archive.removed_at() is not None
