"""Results are recorded exactly once, all or none, and never change."""

import asyncio

import psycopg
import pytest

from arena.database.advisory_locks import AdvisoryLock
from arena.database.errors import DatabaseUnreachableError, RecordRefusedError, StorageFailedError
from arena.database.reading import Reader
from arena.records import VersionId
from arena.server.app.store import Store, open_store
from tests.bots import PATIENCE
from tests.database.test_schema import APPEND_ONLY
from tests.database_locks import WAITING, waiting, waits_for
from tests.databases import plain
from tests.ladder_log import rated_results
from tests.recorded_results import block, finished, forfeited, match_id

Versions = tuple[VersionId, ...]


def counts(sql: psycopg.Connection) -> dict[str, int]:
    tables = ("matches", "match_seats", "transcripts", "rating_events")
    return {
        table: sql.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()[0]  # type: ignore[index]
        for table in tables
    }


async def test_a_recorded_transcript_comes_back_equal(store: Store, versions: Versions) -> None:
    match = finished(versions, show_and_reroll=True)
    await store.record([match])
    assert await store.transcript(match_id(match)) == match.transcript


async def test_the_same_batch_twice_is_recorded_once(
    store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    batch = [finished(versions) for _ in range(60)]
    await store.record(batch)
    once = counts(sql)
    await store.record(batch)
    await store.record([*batch[30:], finished(versions)])
    assert once == {"matches": 60, "match_seats": 180, "transcripts": 60, "rating_events": 60}
    assert counts(sql) == {name: n + n // 60 for name, n in once.items()}


async def test_a_match_twice_in_one_batch_is_recorded_once(
    store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    match = finished(versions)
    await store.record([match, finished(versions), match])
    assert counts(sql)["matches"] == 2


async def test_a_repeated_match_stays_as_it_was(store: Store, versions: Versions) -> None:
    match = finished(versions)
    await store.record([match])
    await store.record([forfeited(match)])
    assert await store.transcript(match_id(match)) == match.transcript


async def test_the_same_matches_from_two_recorders_at_once_are_recorded_once(
    database: str, store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    batch = [finished(versions) for _ in range(100)]
    async with open_store(database) as other:
        await asyncio.gather(
            *(store.record(batch), other.record(batch[::-1])),
            *(store.record(batch[50:]), other.record(batch[:50])),
        )
    assert counts(sql)["matches"] == counts(sql)["rating_events"] == 100


async def test_what_the_ratings_are_told_becomes_visible_in_the_order_of_its_numbers(
    read: Reader, database: str, store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    slow, fast = finished(versions), finished(versions)
    sql.execute(
        f"""
        CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN PERFORM pg_advisory_xact_lock(99); RETURN NULL; END $$;
        CREATE TRIGGER linger AFTER INSERT ON rating_events FOR EACH ROW
            WHEN (NEW.match_id = '{match_id(slow)}') EXECUTE FUNCTION linger();
        SELECT pg_advisory_lock(99);
        """.encode()
    )
    async with (
        open_store(database) as other,
        asyncio.timeout(PATIENCE),
        asyncio.TaskGroup() as tasks,
    ):
        tasks.create_task(store.record([slow]))
        await waiting(sql, 1)
        overtaking = tasks.create_task(other.record([fast]))
        queued = tasks.create_task(waiting(sql, 2))
        await asyncio.wait({overtaking, queued}, return_when="FIRST_COMPLETED")
        assert not overtaking.done()
        sql.execute("SELECT pg_advisory_unlock(99)")
    told = rated_results(read, "bluff", {}, [3])
    assert [result.match_id for result in told] == [match_id(slow), match_id(fast)]


async def test_a_connection_lost_while_recording_leaves_nothing_and_can_be_repeated(
    store: Store, versions: Versions, sql: psycopg.Connection, database: str
) -> None:
    batch = [finished(versions) for _ in range(30)]
    with psycopg.connect(plain(database)) as blocker:
        blocker.execute("LOCK TABLE rating_events")
        recording = asyncio.create_task(store.record(batch))
        await waiting(sql, 1)
        sql.execute(f"SELECT pg_terminate_backend(pid) {WAITING}".encode())
        with pytest.raises(StorageFailedError):
            await recording
    assert counts(sql)["matches"] == 0
    await store.record(batch)
    assert counts(sql)["rating_events"] == 30


async def test_a_batch_with_one_impossible_match_is_refused_whole(
    store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    nobody = VersionId(4711)
    with pytest.raises(RecordRefusedError, match=r"refuses this: [^\n]* violates [^\n]*\.$"):
        await store.record([finished(versions), finished((versions[0], nobody))])
    assert counts(sql)["matches"] == 0


async def test_a_rotation_of_a_block_is_played_once(store: Store, versions: Versions) -> None:
    pair = block(2)
    await store.record([finished(versions, pair, 0)])
    with pytest.raises(RecordRefusedError):
        await store.record([finished(versions, pair, 0)])


async def test_listeners_hear_of_every_batch(
    store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    sql.execute("LISTEN arena_results")
    await store.record([finished(versions)])
    assert [notice.channel for notice in sql.notifies(timeout=PATIENCE, stop_after=1)] == [
        "arena_results"
    ]


REMOVED = ("transcripts", "match_faults")
"""Of these the operator may let old rows go, see `test_retention`."""


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_the_database_itself_keeps_results_as_they_are(sql: psycopg.Connection, table: str) -> None:
    column = "id" if table == "matches" else "match_id"
    statements = [f"UPDATE {table} SET {column} = {column}", f"TRUNCATE {table} CASCADE"]
    if table not in REMOVED:
        statements.append(f"DELETE FROM {table}")
    for statement in statements:
        with pytest.raises(psycopg.errors.RestrictViolation, match="only ever added"):
            sql.execute(statement.encode())


async def test_nothing_is_recorded_where_no_database_answers(versions: Versions) -> None:
    async with open_store("postgresql+psycopg://arena@/arena?host=/nowhere") as store:
        with pytest.raises(DatabaseUnreachableError, match="check that it is running"):
            await store.record([finished(versions)])


async def test_who_records_or_closes_a_block_waits_for_the_other_who_does(
    store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    """Else two that record the last matches of a block would both find it incomplete."""
    trio = block(3)
    await waits_for(AdvisoryLock.RECORDING, store.record([finished(versions, trio)]), sql)
    await waits_for(AdvisoryLock.RECORDING, store.close_block(trio.id), sql)
