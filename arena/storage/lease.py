"""The lease of a database: a fencing token that allows one referee at a time to write.

A referee inserts a row into `leases`; the row's number is its epoch. It increments the row's
`renewals` twice a second. Each of its transactions begins with `require_lease(epoch)`, which locks
the row until the transaction ends, and fails if the row is gone. No connection has to stay open: a
referee whose backends are killed, or whose database was away, continues with its lease.

A referee that starts and finds a row of another watches it. If `renewals` grows, the other is
alive and the start is refused. The other counts as dead if its process has ended (on the same
machine), or if `renewals` stands still for LEASE_SECONDS by the watcher's own monotonic clock. Then
one transaction rolls back the open transactions of the dead referee, moves its running blocks to a
new row and deletes the old one. A referee that was only frozen finds its epoch gone, writes nothing
and stops. Clocks of different machines are never compared, so moving a clock changes nothing.

Each referee has a row of its own, and only `_take` ensures that there is one at a time: several
referees on one database would watch each other's rows and take over those that stand still.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import chain
from time import monotonic
from typing import Any, Final

import structlog
from sqlalchemy import Row, delete, func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.storage.errors import AnotherRefereeError, LeaseTakenError, StorageError
from arena.storage.leftovers import ends_in_doubt
from arena.storage.process_identity import has_ended, own_identity
from arena.storage.running_tables import leases, recorded_batches, running_blocks
from arena.storage.transaction import transaction

RENEW_SECONDS: Final = 0.5
LEASE_SECONDS: Final = 3.0
"""A referee that stands still for so long may be replaced. Only one that starts looks, so a pause
of the machine costs the lease only then; and after a death that nobody sees (of a container, of
another machine) play goes on within 5 seconds."""
LOOK_SECONDS: Final = 0.1
"""Between two reads of another's lease."""
_LOCK: Final = 7_236_403
"""Number of an advisory lock (arbitrary): referees that start together take turns."""

_END_TRANSACTIONS: Final = """
SELECT pg_terminate_backend(pid, 2000) FROM pg_locks
WHERE locktype = 'relation' AND relation = 'leases'::regclass AND pid <> pg_backend_pid()
    AND mode IN ('RowShareLock', 'RowExclusiveLock')
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""Rolls back the transactions of a frozen referee, which still lock its lease."""

log = structlog.get_logger()


class Lease:
    """The lease that this process holds. `keep` must be running."""

    def __init__(self, engine: AsyncEngine, epoch: int, inherited: Collection[int] = ()) -> None:
        self._engine = engine
        self.epoch = epoch
        self.inherited = frozenset(inherited)
        """The leases that this one succeeds directly: no other referee has played since."""

    async def settle(self) -> None:
        """Clear `inherited` in the database: what the earlier leases had spooled is recorded."""
        async with transaction(self._engine) as connection:
            await require(connection, self.epoch)
            await connection.execute(
                update(leases).where(leases.c.epoch == self.epoch).values(inherited=[])
            )

    async def keep(self) -> None:
        """Renew the lease until cancelled. Raises LeaseTakenError when another has taken over."""
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            try:
                async with asyncio.timeout(LEASE_SECONDS), transaction(self._engine) as connection:
                    await require(connection, self.epoch)
                    await connection.execute(
                        update(leases)
                        .where(leases.c.epoch == self.epoch)
                        .values(renewals=leases.c.renewals + 1, renewed_at=func.now())
                    )
            except LeaseTakenError:
                log.error("another referee has taken over; this one stops", epoch=self.epoch)
                raise
            except (StorageError, TimeoutError) as error:
                # While nobody reaches the database, nobody can take the lease over.
                log.warning("lease not renewed", why=str(error))


async def require(connection: AsyncConnection, epoch: int) -> None:
    """Lock the lease until the transaction ends. Raises LeaseTakenError if it is gone."""
    await connection.execute(text("SELECT require_lease(:epoch)"), {"epoch": epoch})


@asynccontextmanager
async def held_lease(engine: AsyncEngine) -> AsyncIterator[Lease]:
    """A context that holds the lease of a database, taken over from earlier referees.

    Raises AnotherRefereeError, LeaseTakenError and DatabaseUnreachableError.
    """
    lease = await _acquire(engine)
    yield lease
    # Not after an error: what was written is unknown then, and the next referee finds us dead.
    with suppress(StorageError):
        async with transaction(engine) as connection:
            await connection.execute(
                update(leases).where(leases.c.epoch == lease.epoch).values(released_at=func.now())
            )


async def _acquire(engine: AsyncEngine, now: Callable[[], float] = monotonic) -> Lease:
    seen: dict[int, int] = {}
    since = now()
    while True:
        async with transaction(engine) as connection:
            await connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
            found = (await connection.execute(select(leases))).all()
            living = [row for row in found if row.released_at is None]
            if any(row.renewals > seen.get(row.epoch, row.renewals) for row in living):
                raise AnotherRefereeError(
                    "Another referee runs on this database: stop it, or use another database "
                    "(ARENA_HOME=DIRECTORY for a built-in one, or ARENA_DATABASE_URL)."
                )
            living = [row for row in living if not has_ended(row.process)]
            if not living or now() >= since + LEASE_SECONDS:
                return Lease(engine, *await _take(connection, found))
            for row in living:
                if row.epoch not in seen:
                    # One that has just begun gets its whole time.
                    seen[row.epoch], since = row.renewals, now()
        await asyncio.sleep(LOOK_SECONDS)


async def _take(connection: AsyncConnection, found: Sequence[Row[Any]]) -> tuple[int, set[int]]:
    """Take over from the leases `found`. Returns the new one, and those that it inherits from."""
    crashed = any(row.released_at is None for row in found)
    if crashed:
        await connection.execute(text(_END_TRANSACTIONS))
    old = [row.epoch for row in found]
    # One that was killed while it started has not played, and passes on what it had inherited.
    inherited = {*old, *chain.from_iterable(row.inherited for row in found)}
    added = await connection.execute(
        insert(leases)
        .values(process=own_identity(), inherited=sorted(inherited))
        .returning(leases.c.epoch)
    )
    epoch: int = added.scalar_one()
    await connection.execute(
        update(running_blocks).where(running_blocks.c.epoch.in_(old)).values(epoch=epoch)
    )
    await connection.execute(delete(leases).where(leases.c.epoch.in_(old)))
    if crashed:
        await connection.execute(ends_in_doubt())
    await connection.execute(delete(recorded_batches))
    return epoch, inherited
