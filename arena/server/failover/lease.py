"""The lease of a referee: the fencing token under which it writes, among others on one database.

A referee inserts a row into `leases`; the row's number is its epoch. It increments the row's
`renewals` several times a second. Each of its transactions begins with `require_lease(epoch)`,
which locks the row until the transaction ends, and fails if the row is gone. No connection has to
stay open: a referee whose backends are killed, or whose database was away, continues with its
lease, unless another referee reached the database meanwhile.

With each renewal a referee looks at the others' rows (see `lease_monitor`). The senior, the living
referee with the lowest epoch, takes over from dead ones (see `succession`) and decides at how many
referees the bots play (see `spreading`). A referee that was only frozen finds its epoch gone,
writes nothing and stops.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import chain
from time import monotonic
from typing import Any, Final

import psycopg
import structlog
from sqlalchemy import Row, func, insert, or_, select, text, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.async_engine import async_engine
from arena.database.channels import REFEREES_CHANNEL
from arena.database.errors import AddressesTakenError, LeaseTakenError, NoAddressError, StorageError
from arena.database.listening import notifications, set_on
from arena.database.process_identity import own_identity
from arena.database.tables.running import leases
from arena.database.transaction import transaction
from arena.server.failover import presence
from arena.server.failover.lease_monitor import STILL_SECONDS, LeaseMonitor
from arena.server.failover.spreading import ALL, Spreading
from arena.server.failover.succession import succeed, taking_turns, tell
from arena.waiting import wait_at_most

RENEW_SECONDS: Final = 0.4
"""The time between renewals.

A death that cannot be seen directly is noticed after at most STILL_SECONDS and two of these.
"""
ALONE_SECONDS: Final = STILL_SECONDS + 3 * RENEW_SECONDS
"""The time after which referees that were dead before have been taken over."""
NO_ADDRESS: Final = ""
"""The address of a referee that announces none; None stands for one that does not listen yet."""
BOUND_SECONDS: Final = 5.0
"""The interval between two searches for bots that know only one address."""
GIVE_UP_SECONDS: Final = 3.0
"""The timeout of a renewal, after which it is tried again."""

log = structlog.get_logger()


class Lease:
    """The lease that this process holds. `keep` must be running."""

    def __init__(self, engine: AsyncEngine, epoch: int, watch: LeaseMonitor) -> None:
        self._engine = engine
        self.epoch = epoch
        self._watch = watch
        self.senior = False
        """Whether no running referee is older; this never becomes false again.

        The senior takes over from the dead, and takes up tournaments without a running referee.
        """
        self.inherited: frozenset[int] = frozenset()
        """The leases that it succeeds directly, whose work it has to continue."""
        self.running: frozenset[int] = frozenset((epoch,))
        """The leases that no referee has taken over."""
        self.unsettled: frozenset[int] = frozenset()
        """The leases that some referee has inherited and not settled."""
        self.changed = asyncio.Event()
        """Set when it has inherited leases, or become the senior."""
        self.addresses: tuple[str, ...] = ()
        """The addresses where bots reach the running referees, the senior's first."""
        self.spreading = Spreading()
        """Decides at how many of these the bots play."""
        self.on_referees: Callable[[], None] = lambda: None
        """Called when `addresses` has changed, or how many are in use."""
        self.address = ""
        """The address where bots reach this one; "" if it has announced none."""
        self.matches: Callable[[], int] = lambda: 0
        """Returns how many matches this referee plays, for the others to know."""
        self.load: Callable[[], float] = lambda: 0.0
        """Returns how busy this referee is, for the senior to know."""
        self.matches_elsewhere = 0
        """The number of matches that the others play."""
        self._bound, self._bound_at = (0, 0), monotonic()
        """The last two counts of `_bound_to`, and when it counted last."""
        self._looking = asyncio.Lock()
        self._news = asyncio.Event()

    @property
    def stands_by(self) -> bool:
        """Whether this referee stands by, because the bots play only at older ones."""
        in_use = self.spreading.in_use
        return in_use != ALL and self.address in self.addresses[in_use:]

    async def announce(self, *addresses: str) -> None:
        """Announce this referee's address to the others and to all bots.

        It takes the first of several addresses that no other referee has. A referee without an
        address must be the only one: a bot that does not know all referees' addresses comes back to
        its matches only by chance.

        Raises AddressesTakenError and NoAddressError.
        """
        until = monotonic() + ALONE_SECONDS
        while True:
            try:
                await self._announce(addresses)
                break
            except NoAddressError:
                if monotonic() >= until:
                    raise
            # The other referee may be dead, and not taken over yet.
            await asyncio.sleep(RENEW_SECONDS)
            await self.look()
        await self.look()

    async def _announce(self, addresses: Sequence[str]) -> None:
        async with fenced(self._engine, self.epoch) as connection:
            await taking_turns(connection)
            others = select(leases.c.address).where(
                leases.c.epoch != self.epoch, leases.c.released_at.is_(None)
            )
            if not addresses:
                # If two start together, the younger gives way.
                first = or_(leases.c.epoch < self.epoch, leases.c.address.is_not(None))
                others = others.where(first)
            taken = set((await connection.execute(others)).scalars())
            if taken and not addresses:
                raise NoAddressError(
                    "Another referee runs on this database, so bots must be told where each is "
                    "reached: set ARENA_PUBLIC_ADDRESS to an address of this one, or ARENA_HOST to "
                    "one address."
                )
            if NO_ADDRESS in taken:
                raise NoAddressError(
                    "The referee that runs on this database does not tell bots where it is "
                    "reached: start it again with ARENA_PUBLIC_ADDRESS before this one."
                )
            # A single address belongs to this referee: its earlier holder must be gone, even if
            # that is not noticed yet.
            free = [one for one in addresses if one not in taken or len(addresses) == 1]
            if addresses and not free:
                raise AddressesTakenError(
                    f"other referees are reached at all addresses from {addresses[0]} to "
                    f"{addresses[-1]}: set more addresses in ARENA_PUBLIC_ADDRESS."
                )
            own = leases.c.epoch == self.epoch
            address = free[0] if free else NO_ADDRESS
            await connection.execute(update(leases).where(own).values(address=address))
            await connection.execute(tell())

    async def settle(self, epochs: Iterable[int]) -> None:
        """Remove these leases from the inheritance, as their work continues here.

        Their spooled results are recorded by then, too.
        """
        done = list(epochs)
        left = text("ARRAY(SELECT unnest(inherited) EXCEPT SELECT unnest(CAST(:done AS bigint[])))")
        async with fenced(self._engine, self.epoch) as connection:
            await connection.execute(
                update(leases)
                .where(leases.c.epoch == self.epoch)
                .values(inherited=left.bindparams(done=done))
            )
        self.inherited -= set(done)

    async def keep(self) -> None:
        """Renew the lease, and take over from others, until cancelled.

        Raises LeaseTakenError when another referee has taken over from this one.
        """
        while True:
            await wait_at_most(self._news, RENEW_SECONDS)
            self._news.clear()
            try:
                async with asyncio.timeout(GIVE_UP_SECONDS):
                    await self.look()
            except LeaseTakenError:
                log.error("another referee has taken over; this one stops", epoch=self.epoch)
                raise
            except (StorageError, TimeoutError, SQLAlchemyError, psycopg.Error, OSError) as error:
                # No error of the database or its driver ends the lease, only a takeover does.
                why = str(error).partition("\n")[0] or f"no answer within {GIVE_UP_SECONDS:g} s"
                log.warning("lease not renewed", why=why)

    async def listen(self, url: str) -> None:
        """Wake `keep` at once when a referee comes or goes, until cancelled."""
        await set_on(notifications(url, [REFEREES_CHANNEL]), self._news)

    async def look(self) -> None:
        """Renew the lease, check the others, and take over from the dead if it is the senior.

        The senior is the oldest of the living.
        """
        async with self._looking:
            await self._look()

    async def _look(self) -> None:
        rows = await self._renew()
        seen = self._watch.look([row for row in rows if row.epoch != self.epoch])
        if seen.dead and all(self.epoch < epoch for epoch in seen.living):
            async with fenced(self._engine, self.epoch) as connection:
                await succeed(connection, self.epoch, seen.dead)
            rows = await self._renew()
        running = [row for row in rows if row.epoch not in seen.dead]
        listed = [row for row in running if row.address]
        before = self.addresses, self.spreading.in_use
        self.addresses = tuple(row.address for row in listed)
        if running[0].epoch == self.epoch:
            self.spreading.decide([row.load for row in listed], await self._bound_to(listed))
        else:
            self.spreading.follow(running[0].in_use)
        if (self.addresses, self.spreading.in_use) != before:
            self.on_referees()

    async def _bound_to(self, listed: Sequence[Row[Any]]) -> int:
        """Return how many of the oldest referees are needed for bots that know one address.

        The smaller of the last two counts, because bots connect to one referee after the other.
        """
        if len(listed) > 1 and monotonic() >= self._bound_at + BOUND_SECONDS:
            asked = presence.youngest_with_bots_of_one_address(self.epoch)
            async with transaction(self._engine) as connection:
                youngest = await connection.scalar(asked) or 0
            needed = sum(row.epoch <= youngest for row in listed)
            self._bound, self._bound_at = (self._bound[1], needed), monotonic()
        return min(self._bound)

    async def _renew(self) -> list[Row[Any]]:
        """Renew the lease, and return the rows of all, the senior's first.

        Also reads what it has inherited: if the connection was lost in a takeover, it does not know
        whether the takeover was committed.
        """
        async with fenced(self._engine, self.epoch) as connection:
            await connection.execute(
                update(leases)
                .where(leases.c.epoch == self.epoch)
                .values(
                    renewals=leases.c.renewals + 1,
                    renewed_at=func.now(),
                    matches=self.matches(),
                    load=self.load(),
                    in_use=self.spreading.in_use,
                )
            )
            found = await connection.execute(select(leases).order_by(leases.c.epoch))
            rows = list(found.all())
        (own,) = (row for row in rows if row.epoch == self.epoch)
        others = [row for row in rows if row.epoch != self.epoch]
        senior = all(row.epoch > self.epoch for row in others)
        inherited = frozenset(own.inherited)
        if senior > self.senior or inherited - self.inherited:
            self.changed.set()
        self.running = frozenset(row.epoch for row in rows)
        self.unsettled = frozenset(chain.from_iterable(row.inherited for row in rows))
        self.matches_elsewhere = sum(row.matches for row in others)
        self.senior, self.inherited, self.address = senior, inherited, own.address or ""
        return rows


@asynccontextmanager
async def fenced(engine: AsyncEngine, epoch: int | None) -> AsyncIterator[AsyncConnection]:
    """Run a transaction that locks this lease until its end; no lease if `epoch` is None.

    Raises LeaseTakenError if the lease is gone, and what `transaction` raises.
    """
    async with transaction(engine) as connection:
        if epoch is not None:
            await connection.execute(text("SELECT require_lease(:epoch)"), {"epoch": epoch})
        yield connection


@asynccontextmanager
async def held_lease(engine: AsyncEngine) -> AsyncIterator[Lease]:
    """Hold a lease in the block; take over what earlier referees left if no other runs.

    Raises LeaseTakenError and DatabaseUnreachableError.
    """
    lease = await _begin(engine)
    yield lease
    # Not after an error: it is unknown then what was written, so the others must find us dead.
    with suppress(StorageError):
        async with transaction(engine) as connection:
            own = leases.c.epoch == lease.epoch
            await connection.execute(update(leases).where(own).values(released_at=func.now()))
            await connection.execute(tell())


async def _begin(engine: AsyncEngine) -> Lease:
    watch = LeaseMonitor(monotonic)
    async with transaction(engine) as connection:
        await taking_turns(connection)
        found = (await connection.execute(select(leases))).all()
        added = await connection.execute(
            insert(leases).values(process=own_identity()).returning(leases.c.epoch)
        )
        lease = Lease(engine, added.scalar_one(), watch)
        seen = watch.look(found)
        if not seen.living:
            await succeed(connection, lease.epoch, seen.dead)
        await connection.execute(tell())
    await lease.look()
    return lease


async def addresses(url: str) -> list[str | None]:
    """Return where bots reach the running referees of a database, the senior's first.

    None stands for a referee that does not announce its address. Raises DatabaseUnreachableError.
    """
    engine = async_engine(url)
    try:
        async with transaction(engine) as connection:
            running = select(leases.c.address).where(leases.c.released_at.is_(None))
            found = (await connection.execute(running.order_by(leases.c.epoch))).scalars()
            return [address or None for address in found]
    finally:
        await engine.dispose()
