"""Results are recorded exactly once, all or none, and never change."""

import asyncio

import psycopg
import pytest

from arena.storage.errors import DatabaseUnreachableError, RecordRefusedError
from arena.storage.store import Store, open_store
from arena.storage.tables import append_only
from arena.tournament.ports import StorageFailedError, VersionId
from tests.databases import plain
from tests.storage.results import block, finished, forfeited, match_id

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


async def test_what_the_ratings_were_told_is_in_the_order_of_their_numbers(
    database: str, store: Store, versions: Versions
) -> None:
    seen: list[int] = []

    async def read() -> None:
        while len(seen) < 200:
            after = seen[-1] if seen else 0
            news = await store.rated_results("bluff", {}, [3], after)
            seen.extend(result.sequence for result in news)

    async with open_store(database) as other, asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        tasks.create_task(read())
        for _ in range(10):
            for recorder in (store, other):
                tasks.create_task(recorder.record([finished(versions) for _ in range(10)]))
    assert seen == sorted(set(seen))


async def test_a_connection_lost_while_recording_leaves_nothing_and_can_be_repeated(
    store: Store, versions: Versions, sql: psycopg.Connection, database: str
) -> None:
    batch = [finished(versions) for _ in range(30)]
    with psycopg.connect(plain(database)) as blocker:
        blocker.execute("LOCK TABLE rating_events")
        recording = asyncio.create_task(store.record(batch))
        waiting = (
            "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        kill = f"SELECT pg_terminate_backend(pid) {waiting}".encode()
        async with asyncio.timeout(10):
            while not sql.execute(kill).rowcount:  # noqa: ASYNC110  what waits is Postgres
                await asyncio.sleep(0.01)
        with pytest.raises(StorageFailedError):
            await recording
    assert counts(sql)["matches"] == 0
    await store.record(batch)
    assert counts(sql)["rating_events"] == 30


async def test_a_batch_with_one_impossible_match_is_refused_whole(
    store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    nobody = VersionId(4711)
    with pytest.raises(RecordRefusedError, match="refuses this"):
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
    assert [notice.channel for notice in sql.notifies(timeout=5, stop_after=1)] == ["arena_results"]


@pytest.mark.parametrize("table", [table.name for table in append_only])
def test_the_database_itself_keeps_results_as_they_are(sql: psycopg.Connection, table: str) -> None:
    column = "id" if table == "matches" else "match_id"
    for statement in (
        f"UPDATE {table} SET {column} = {column}",
        f"DELETE FROM {table}",
        f"TRUNCATE {table} CASCADE",
    ):
        with pytest.raises(psycopg.errors.RestrictViolation, match="only ever added"):
            sql.execute(statement.encode())


async def test_nothing_is_recorded_where_no_database_answers(versions: Versions) -> None:
    async with open_store("postgresql+psycopg://arena@/arena?host=/nowhere") as store:
        with pytest.raises(DatabaseUnreachableError, match="see that it runs"):
            await store.record([finished(versions)])
