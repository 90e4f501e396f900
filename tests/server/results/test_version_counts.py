"""Matches and faults by version are counted once each, whatever becomes of a batch or a block."""

import asyncio

import psycopg
import pytest

from arena.database.errors import RecordRefusedError
from arena.records import VersionId
from arena.server.app.store import Store, open_store
from tests.ladder_log import require_counts
from tests.recorded_results import block, finished, forfeited

Versions = tuple[VersionId, ...]


async def test_batches_that_overlap_count_each_match_once(
    database: str, store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    batch = [finished(versions) for _ in range(40)] + [forfeited(finished(versions[:2]))]
    async with open_store(database) as other:
        await asyncio.gather(
            *(store.record(batch), other.record(batch[::-1]), store.record(batch[5:])),
            other.record([*batch[:5], finished(versions[1:])]),
        )
    assert require_counts(sql) == 40 * 3 + 2 + 2


async def test_a_version_with_several_seats_of_a_match_plays_one_match(
    store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    one, other, _ = versions
    await store.record([forfeited(finished((one, one, other, other))), finished((one, other))])
    assert require_counts(sql) == 2 + 2
    counts = sql.execute("SELECT version_id, matches, faults FROM version_counts ORDER BY 1")
    assert counts.fetchall() == [(one, 2, 0), (other, 2, 3)]


async def test_a_batch_that_is_refused_counts_nothing(
    store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    await store.record([finished(versions)])
    with pytest.raises(RecordRefusedError):
        await store.record([finished(versions), finished((versions[0], VersionId(4711)))])
    assert require_counts(sql) == 3


async def test_matches_of_a_void_block_were_played_and_stay_counted(
    store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    open_block, closed = block(2), block()
    await store.record([finished(versions, open_block), finished(versions, closed)])
    await store.void_block(open_block.id)
    await store.owners.void_block(closed.id, "operator", "a bug")
    await store.record([finished(versions, open_block, 1)])
    assert require_counts(sql) == 3 * 3
