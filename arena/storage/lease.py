"""The lease that makes a referee the one that writes: fencing instead of a lock on a connection.

A referee holds a row of `leases`, whose number is its epoch, and counts the row's `renewals` on
twice a second. All that it writes it writes in transactions that begin with `require_lease(epoch)`,
which holds the row until they end and fails when it is gone. So nothing depends on any connection:
a referee whose backends are killed, or whose database was away, goes on with its lease.

Whoever starts and finds a row watches it. Counts it on, its holder lives: the start is refused. Has
it ended (same machine, no such process) or stood still for LEASE_SECONDS by the watcher's own
monotonic clock, its holder is taken for dead: in one transaction its matches go over to a new row
and the old one is removed. Transactions that hold it are rolled back first. A holder that was only
frozen finds its epoch gone, writes nothing and stops. No clock of any machine is compared with
another's, so that moving one changes nothing.

Each referee has a row of its own, and only `_take` says that there is one at a time: several on one
database would watch each other's rows and take over those that stand still.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from itertools import chain
from time import monotonic
from typing import Any, Final

import structlog
from sqlalchemy import Insert, Row, delete, func, insert, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert as insert_if_new
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.storage.errors import AnotherRefereeError, LeaseTakenError, StorageError
from arena.storage.process_identity import has_ended, own_identity
from arena.storage.running_tables import leases, running_blocks, untold_ends
from arena.storage.statements import unfinished
from arena.storage.tables import blocks, match_seats, matches
from arena.storage.transaction import transaction

RENEW_SECONDS: Final = 0.5
LEASE_SECONDS: Final = 3.0
"""A referee that stands still for so long may be replaced. Only one that starts looks, so a pause
of the machine costs the lease only then; and after a death that nobody sees (of a container, of
another machine) play goes on within 5 seconds."""
LOOK_SECONDS: Final = 0.1
"""Between looks at another's lease."""
IN_DOUBT_SECONDS: Final = 3
"""What was recorded so long before the last sign of a referee that crashed is told again, lest a
bot waits for an end for ever."""
_LOCK: Final = 7_236_403
"""Any number: two referees that start together take turns."""

_END_TRANSACTIONS: Final = """
SELECT pg_terminate_backend(pid, 2000) FROM pg_locks
WHERE locktype = 'relation' AND relation = 'leases'::regclass AND pid <> pg_backend_pid()
    AND mode IN ('RowShareLock', 'RowExclusiveLock')
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""A frozen referee's transaction, which it cannot finish, still holds its lease: roll it back."""

log = structlog.get_logger()


class Lease:
    """Being a referee. `keep` must be running."""

    def __init__(self, engine: AsyncEngine, epoch: int, inherited: Collection[int] = ()) -> None:
        self._engine = engine
        self.epoch = epoch
        self.inherited = frozenset(inherited)
        """The leases to which this one is the direct successor: nobody has played since."""

    async def settle(self) -> None:
        """Inherit from nobody any more: what the earlier leases have left is recorded."""
        async with transaction(self._engine) as connection:
            await require(connection, self.epoch)
            await connection.execute(
                update(leases).where(leases.c.epoch == self.epoch).values(inherited=[])
            )

    async def keep(self) -> None:
        """Renew until cancelled. Raises LeaseTakenError when another has taken over."""
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
                # Nobody else takes over a lease in a database that nobody reaches.
                log.warning("lease not renewed", why=str(error))


async def require(connection: AsyncConnection, epoch: int) -> None:
    """Hold the lease until the transaction ends. It fails with LeaseTakenError if it is gone."""
    await connection.execute(text("SELECT require_lease(:epoch)"), {"epoch": epoch})


@asynccontextmanager
async def held_lease(engine: AsyncEngine) -> AsyncIterator[Lease]:
    """Be the referee of a database while the block runs, and take over what earlier ones left.

    Raises AnotherRefereeError, LeaseTakenError and DatabaseUnreachableError.
    """
    lease = await _acquire(engine)
    yield lease
    # Not after an error: then nobody knows what is written, and the next one finds us dead.
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
    crashed = [row.renewed_at for row in found if row.released_at is None]
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
        await connection.execute(_ends_in_doubt(min(crashed)))
    return epoch, inherited


def _ends_in_doubt(renewed_at: datetime) -> Insert:
    """A referee that was killed may not have told what it had just recorded.

    Counted by the database's clock: a match may have ended long before it was recorded, and by a
    clock that has been moved since.
    """
    since = renewed_at - timedelta(seconds=IN_DOUBT_SECONDS)
    seats = (
        select(match_seats.c.match_id, match_seats.c.version_id)
        .join(matches, matches.c.id == match_seats.c.match_id)
        .join(blocks, blocks.c.id == matches.c.block_id)
        .where(or_(unfinished(), blocks.c.closed_at > since, blocks.c.voided_at > since))
    )
    return (
        insert_if_new(untold_ends)
        .from_select(["match_id", "version_id"], seats)
        .on_conflict_do_nothing()
    )
