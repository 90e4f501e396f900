"""How a referee takes over from dead ones: their work becomes its own in one transaction.

It rolls back the open transactions of the dead referees, moves their running blocks to the heir's
lease and deletes their leases. From then on nothing that they still try to write is accepted.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Final

import structlog
from sqlalchemy import TextClause, delete, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from arena.database.advisory_locks import AdvisoryLock
from arena.database.channels import REFEREES_CHANNEL
from arena.database.process_identity import has_ended
from arena.database.tables.matches import blocks
from arena.database.tables.running import leases, recorded_batches, running_blocks
from arena.server.failover.unfinished import ends_in_doubt

log = structlog.get_logger()


_END_TRANSACTIONS: Final = """
SELECT pg_terminate_backend(pid, 2000) FROM pg_locks
WHERE locktype = 'advisory' AND classid = :living
    AND objid = ANY (CAST(:epochs AS bigint[]))
    AND pid <> pg_backend_pid()
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""A query that rolls back a frozen referee's transactions, which still lock its lease.

`require_lease` takes this lock.
"""


async def taking_turns(connection: AsyncConnection) -> None:
    """Wait until no other referee starts or takes over; keep others out for this transaction."""
    await connection.execute(select(func.pg_advisory_xact_lock(AdvisoryLock.SUCCESSION.value)))


async def succeed(connection: AsyncConnection, heir: int, dead: Mapping[int, int]) -> None:
    """Take over from these leases, given with the renewals of each as last seen.

    Leases that another referee has taken over, or that are alive after all, stay as they are.
    """
    await taking_turns(connection)
    found = [
        row
        for row in await connection.execute(select(leases).where(leases.c.epoch.in_(dead)))
        if row.released_at is not None or row.renewals == dead[row.epoch] or has_ended(row.process)
    ]
    if not found:
        return
    old = [row.epoch for row in found]
    crashed = [row.epoch for row in found if row.released_at is None]
    if crashed:
        await connection.execute(
            text(_END_TRANSACTIONS),
            {"living": AdvisoryLock.LIVING_REFEREES.value, "epochs": crashed},
        )
    # A referee that was killed before it had recorded what it inherited passes that on.
    epochs = {*old, *chain.from_iterable(row.inherited for row in found)}
    await connection.execute(
        update(leases)
        .where(leases.c.epoch == heir)
        .values(inherited=leases.c.inherited + sorted(epochs))
    )
    running = running_blocks.c.epoch.in_(old)
    await connection.execute(
        update(blocks)
        .where(blocks.c.id.in_(select(running_blocks.c.id).where(running)))
        .values(epoch=heir)
    )
    await connection.execute(update(running_blocks).where(running).values(epoch=heir))
    await connection.execute(delete(leases).where(leases.c.epoch.in_(old)))
    if crashed:
        await connection.execute(ends_in_doubt(crashed))
    await connection.execute(delete(recorded_batches).where(recorded_batches.c.epoch.in_(old)))
    await connection.execute(tell())
    log.info("taken over from other referees", leases=old, crashed=len(crashed))


def tell() -> TextClause:
    """Return a statement that wakes all referees."""
    return text(f"NOTIFY {REFEREES_CHANNEL}")
