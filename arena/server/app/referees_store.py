"""`RefereesStore`: the store with what only referees write: running matches, and missed ends."""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager

from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.async_engine import async_engine
from arena.database.own_connection import OwnConnection
from arena.database.rows import PlacedElsewhere, with_time_control
from arena.database.transaction import driver_of, fetched, transaction
from arena.records import Presence, UntoldEnd, VersionId
from arena.server.app.store import Store
from arena.server.boards import ladder_statements
from arena.server.failover import presence, running, unfinished
from arena.server.failover.lease import Lease, fenced, held_lease
from arena.server.ladder import pairing_statements
from arena.server.play.kept_blocks import KeptBlock, Unkept
from arena.server.results import recording


@asynccontextmanager
async def open_referees_store(url: str) -> AsyncIterator["RefereesStore"]:
    """Open the store of a referee, which holds a lease of the database while it is open."""
    engine = async_engine(url)
    try:
        async with held_lease(engine) as lease:
            store = RefereesStore(engine, lease, OwnConnection(url))
            try:
                yield store
            finally:
                await store.keeping.close()
    finally:
        await engine.dispose()


class RefereesStore(Store):
    """A store that writes results only while its lease is held; it implements `ports.Recorder`.

    Every method that writes raises LeaseTakenError once another referee has taken over.
    """

    def __init__(self, engine: AsyncEngine, lease: Lease, keeping: OwnConnection) -> None:
        """Write under `lease`; `keeping` is the connection over which running matches are kept."""
        super().__init__(engine, lease.epoch)
        self.lease = lease
        self.keeping = keeping

    async def keep(self, unkept: Unkept) -> None:
        """Keep running blocks and matches."""
        async with self.keeping.use() as connection:
            await running.keep(connection, self.lease.epoch, unkept)

    async def kept(self, known: Callable[[], Collection[str]] = lambda: ()) -> list[KeptBlock]:
        """Return the running blocks that earlier referees left to this one, except ended ones.

        `known` returns the ids of the blocks that this referee plays already.

        Unfinished blocks that no referee continues are ended: those of the ladder are closed, so
        that their matches count, and those of tournaments that are over are voided.
        """
        played = set(known())
        async with fenced(self._engine, self.lease.epoch) as connection:
            driver = await driver_of(connection)
            await running.forget_recorded(driver)
            await running.forget_orphans(driver)
            await connection.execute(unfinished.forget_ended_blocks(self.lease.epoch))
            left = await connection.execute(unfinished.running_blocks_of(self.lease.epoch))
            played |= set(known())  # a block that ended in between is in the first set
            mine = [block_id for block_id in map(str, left.scalars()) if block_id not in played]
            found = await running.read(connection, mine)
            await connection.execute(unfinished.void_blocks_of_ended_tournaments())
            cut_off = await connection.execute(unfinished.cut_off_blocks())
            for block_id in cut_off.scalars():
                await recording.close(driver, str(block_id))
            return found

    async def placed_elsewhere(self, after: int | None) -> tuple[list[PlacedElsewhere], int]:
        """Return the matches that other referees recorded after a rating event, and the log's end.

        With `after` None it returns no matches.
        """
        own = self.lease.epoch
        async with transaction(self._engine) as connection:
            (end,) = (await connection.execute(ladder_statements.log_end())).mappings()
            until = int(end["sequence"])
            if after is None or after == until or self.lease.running == {own}:
                return [], until
            found = await connection.execute(pairing_statements.placed_elsewhere(own, after, until))
            rows = [dict(row) | {"block_id": str(row["block_id"])} for row in found.mappings()]
            return [PlacedElsewhere(**with_time_control(row)) for row in rows], until

    async def tell_presence(
        self, here: Sequence[Presence], gone: Sequence[tuple[int, str]], *, anew: bool
    ) -> None:
        """Write which copies of bots are connected here, and which no longer are.

        With `anew`, everything written before is deleted first.
        """
        async with fenced(self._engine, self.lease.epoch) as connection:
            if anew:
                await connection.execute(presence.forget(self.lease.epoch))
            driver = await driver_of(connection)
            await driver.execute(presence.TELL, presence.told(self.lease.epoch, here, gone))

    async def presence_elsewhere(self, versions: Collection[VersionId]) -> list[Presence]:
        """Return the copies of these versions at other referees."""
        return [
            Presence(
                version_id=VersionId(row.version_id),
                instance=row.instance,
                connected=row.connected,
                places=row.places,
                seats=row.seats,
                games=tuple(row.games),
            )
            for row in await fetched(self._engine, presence.elsewhere(self.lease.epoch, versions))
        ]

    async def copies_connected(self) -> int:
        """Return the number of copies connected to any referee, as written by the referees."""
        async with transaction(self._engine) as connection:
            return int(await connection.scalar(presence.copies_connected()) or 0)

    async def untold_ends(self) -> list[UntoldEnd]:
        """Return the unannounced ends of the last day, oldest first, and forget older ones."""
        async with fenced(self._engine, self.lease.epoch) as connection:
            await connection.execute(unfinished.forget_old_untold())
            found = await connection.execute(unfinished.untold())
            return [UntoldEnd(row.match_id, row.version_id, row.instance) for row in found]

    async def add_untold(self, ends: Sequence[UntoldEnd]) -> None:
        """Store these ends; an end that is stored already is left unchanged."""
        async with fenced(self._engine, self.lease.epoch) as connection:
            await connection.execute(unfinished.add_untold(ends))

    async def remove_untold(self, ends: Sequence[UntoldEnd]) -> None:
        """Forget these ends."""
        async with fenced(self._engine, self.lease.epoch) as connection:
            await connection.execute(unfinished.remove_untold(ends))
