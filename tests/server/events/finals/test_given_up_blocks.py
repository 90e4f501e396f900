"""A block of a final that no machine can play is given up, unless no block can be played."""

from typing import Any

import psycopg
import pytest

from arena.scheduling.pairings import Pairing
from arena.server.app.store import Store
from arena.server.events.finals.finals import FinalBlockId
from arena.server.events.finals.walkovers import MOST_TRIES
from tests.server.events.cups import played, played_out, queued
from tests.server.events.finals.test_finals import begun, released

Sql = psycopg.Connection[Any]


async def begin(store: Store, block: FinalBlockId, times: int) -> None:
    """Workers begin a block and are gone."""
    for _ in range(times):
        assert await store.finals.begin_block(block) is not None


async def play(store: Store, block: FinalBlockId) -> None:
    found = await store.finals.begin_block(block)
    assert found is not None
    signer = await store.signer()
    await store.finals.end_block(block, list(map(played, found.matches)), signer)


@pytest.mark.slow
async def test_a_block_that_fails_while_others_are_played_is_a_tie(
    store: Store, database: str, sql: Sql
) -> None:
    event = await begun(store, database, sql)
    bad, *others = queued(sql)
    await begin(store, bad, MOST_TRIES)
    await play(
        store, next(one for one in others if one.table != bad.table or one.round != bad.round)
    )
    assert await store.finals.begin_block(bad) is None
    (line,) = [line for line in await store.owners.audit(20) if "walkover" in line.action]
    assert line.details["why"] == (
        f"Block {bad.number} was begun 10 times and never came to its end, while others were "
        "played."
    )
    assert len(line.details["bots"]) == 2
    await played_out(store, sql, event)
    await released(store, sql)
    record = await store.tournaments.record(await store.tournaments.named("cup"))
    (key,) = record.forfeits
    assert key == (bad.round, bad.table)
    (pairing,) = [one for one in record.played() if _key(one.pairing) == key]
    assert len(set(pairing.total(len(pairing.blocks)))) == 1


async def test_while_no_block_can_be_played_nothing_is_decided(
    store: Store, database: str, sql: Sql
) -> None:
    await begun(store, database, sql)
    good, bad, *_ = sorted(queued(sql), key=lambda one: (one.number, one.table))
    await play(store, good)  # before the machines fail
    await begin(store, bad, 3 * MOST_TRIES)
    assert [line for line in await store.owners.audit(20) if "walkover" in line.action] == []


@pytest.mark.parametrize("tries", [1, MOST_TRIES])
async def test_a_block_that_comes_to_its_end_at_last_is_recorded(
    store: Store, database: str, sql: Sql, tries: int
) -> None:
    await begun(store, database, sql)
    bad, other, *_ = queued(sql)
    await begin(store, bad, tries - 1)
    await play(store, other)
    await play(store, bad)
    assert sql.execute("SELECT count(*) FROM event_blocks").fetchone() == (2,)


def _key(pairing: Pairing) -> tuple[int, int]:
    return pairing.round, pairing.table
