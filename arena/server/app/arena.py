"""`Arena`: a running referee, as its callers use it."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

from arena.database.reading import Reader
from arena.server.app.referees_store import RefereesStore
from arena.server.app.server import RefereeServer
from arena.server.failover.result_writer import ResultWriter
from arena.server.ladder.director import Director
from arena.server.limits.gate import Gate
from arena.server.play.lobby import Lobby
from arena.server.play.missed_ends import MissedEnds
from arena.waiting import wait_at_most

STOP_GRACE_SECONDS: Final = 5.0
"""The time that running blocks get to end when the referee stops; a block is much shorter."""
SETTLE_SECONDS: Final = 10.0
"""The time that the last results get to be recorded when the referee stops."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Arena:
    """A running referee."""

    store: RefereesStore
    read: Reader
    port: int
    writer: ResultWriter
    lobby: Lobby
    director: Director
    server: RefereeServer
    missed_ends: MissedEnds
    gate: Gate

    @property
    def recorded(self) -> int:
        """The number of matches recorded since the start."""
        return self.writer.recorded

    @property
    def connected(self) -> int:
        """The number of connected bots."""
        return self.lobby.connected

    def when_recorded(self, matches: int, call: Callable[[], None]) -> None:
        """Call `call` after each recorded batch once at least this many matches are recorded."""

        def look() -> None:
            if self.recorded >= matches:
                call()

        self.writer.listeners.append(look)

    async def wind_down(self) -> None:
        """Start no further block, and give the running ones STOP_GRACE_SECONDS to end."""
        idle = asyncio.Event()
        self.director.on_idle = idle.set
        self.director.wind_down()
        await wait_at_most(idle, STOP_GRACE_SECONDS)

    async def hand_over(self) -> None:
        """Stop all matches where they are, and keep them for the next referee."""
        self.director.suspend()
        # First while the streams are open, so that bots are sent the ends of the last matches.
        await self._settle()
        await self.server.stop()
        await self._settle()
        if self.writer.waiting:
            # No bot was sent the ends of these matches: the next referee records the spooled ones,
            # and continues the others.
            log.error(
                "results not recorded: the database fails; the next start records the spooled ones",
                waiting=self.writer.waiting,
                spooled=self.writer.spooled,
            )

    async def _settle(self) -> None:
        """Wait at most SETTLE_SECONDS until all results and missed ends are recorded."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SETTLE_SECONDS):
                await self.writer.settled()
                await self.missed_ends.settled()
