"""`Arena`: a running referee, as those who started it use it."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

from arena.hosting.director import Director
from arena.hosting.journal import Journal
from arena.referee.gate import Gate
from arena.referee.lobby import Lobby
from arena.referee.missed_ends import MissedEnds
from arena.referee.server import RefereeServer
from arena.storage.reading import Reader
from arena.storage.referees_store import RefereesStore

STOP_GRACE_SECONDS: Final = 5.0
"""How long running blocks may take to end when the referee stops; a block is much shorter."""
SETTLE_SECONDS: Final = 10.0
"""How long the last results may take to be recorded when the referee stops."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Arena:
    """A running referee."""

    store: RefereesStore
    read: Reader
    port: int
    journal: Journal
    lobby: Lobby
    director: Director
    server: RefereeServer
    missed_ends: MissedEnds
    gate: Gate

    @property
    def recorded(self) -> int:
        """Matches recorded since the start."""
        return self.journal.recorded

    @property
    def connected(self) -> int:
        """How many bots are connected."""
        return self.lobby.connected

    def when_recorded(self, matches: int, call: Callable[[], None]) -> None:
        """Call when this many matches are recorded; once or more often."""

        def look() -> None:
            if self.recorded >= matches:
                call()

        self.journal.listeners.append(look)

    async def wind_down(self) -> None:
        """Begin no further block, and give the running ones a moment to end."""
        idle = asyncio.Event()
        self.director.on_idle = idle.set
        self.director.wind_down()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_GRACE_SECONDS):
                await idle.wait()

    async def hand_over(self) -> None:
        """Stop all matches where they are, and keep them for the next referee."""
        self.director.suspend()
        # First while the streams are open, so that bots are sent the ends of the last matches.
        await self._settle()
        await self.server.stop()
        await self._settle()
        if self.journal.waiting:
            # Nobody was told that these had ended: the next referee records those that are spooled,
            # and continues the others.
            log.error(
                "results not recorded: the database fails; the next start records the spooled ones",
                waiting=self.journal.waiting,
                spooled=self.journal.spooled,
            )

    async def _settle(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SETTLE_SECONDS):
                await self.journal.settled()
                await self.missed_ends.settled()
