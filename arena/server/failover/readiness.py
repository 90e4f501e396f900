"""Whether a referee is ready: the database answers, and no results wait in the spool."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from arena.server.failover.result_writer import ResultWriter

log = structlog.get_logger()


class Readiness:
    """The readiness, from the writer and from a connection that listens to the database."""

    def __init__(self, writer: ResultWriter) -> None:
        self._writer = writer
        self._connected = True
        self._changed = asyncio.Event()
        writer.watchers.append(self._changed.set)

    @property
    def why_not(self) -> str | None:
        """The reason why the referee is not ready; None when it is."""
        if not self._connected or self._writer.failing:
            return "the database does not answer"
        if self._writer.spooled:
            return f"{self._writer.spooled} results wait in the spool"
        return None

    def connected(self, there: bool) -> None:
        """Note whether the connection that listens to the database exists."""
        self._connected = there
        self._changed.set()

    async def tell(self, tell: Callable[[bool], Awaitable[None]]) -> None:
        """Call `tell` with every change of the readiness, until cancelled."""
        told = True
        while True:
            await self._changed.wait()
            self._changed.clear()
            ready = self.why_not is None
            if ready != told:
                told = ready
                if ready:
                    log.info("ready again")
                else:
                    log.warning("not ready", why=self.why_not)
                await tell(ready)
