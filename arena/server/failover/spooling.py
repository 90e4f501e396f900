"""`Spooling`, which copies the writer's queues into a spool while storage fails."""

import asyncio
from collections.abc import Callable
from typing import Any

import structlog

from arena.database.errors import SpoolFailedError
from arena.server.failover.waiting import Waiting
from arena.server.play.ports import Happening, Spool

log = structlog.get_logger()


class Spooling:
    """The spool of a writer's queues.

    `run` must be running: it alone uses the spool, so that nothing is added while it is cleared.
    """

    def __init__(
        self,
        spool: Spool,
        queues: tuple[Waiting[Any], ...],
        happening: Callable[[Any], Happening],
        changed: Callable[[], None],
        gather_seconds: float,
    ) -> None:
        """Create it, unused.

        `happening` converts an item of a queue for the spool; `changed` is called when the spool
        was used.
        """
        self._spool = spool
        self._queues = queues
        self._happening = happening
        self._changed = changed
        self._gather_seconds = gather_seconds
        self._news = asyncio.Event()
        self._used = False
        self._needed = False
        self.fails = False
        """Whether the spool failed when it was last used."""

    def need(self) -> None:
        """Spool soon: storage fails, or something new waits while it fails."""
        self._needed = True
        self._news.set()

    def need_no_more(self) -> None:
        """Note that storage works again; clear the spool once none of its content waits."""
        self._needed = False
        if self._used:
            self._news.set()

    async def run(self) -> None:
        """Spool and clear until cancelled."""
        while True:
            await self._news.wait()
            if self._gather_seconds:
                await asyncio.sleep(self._gather_seconds)
            self._news.clear()
            try:
                if self._needed:
                    await self._append()
                elif self._used and not any(queue.kept for queue in self._queues):
                    await self._spool.clear()
                    self._used = False
            except SpoolFailedError as error:
                self.fails = True
                log.error(
                    "the spool failed: results could be lost, so no new matches begin",
                    waiting=sum(map(len, self._queues)),
                    spooled=sum(queue.kept for queue in self._queues),
                    why=str(error),
                )
            else:
                self.fails = False
            self._changed()

    async def _append(self) -> None:
        until = [queue.end for queue in self._queues]
        happenings = [self._happening(one) for queue in self._queues for one in queue.not_kept()]
        if not happenings:
            return
        self._used = True
        await self._spool.append(happenings)
        for queue, end in zip(self._queues, until, strict=True):
            queue.keep(end)
        if not self._needed:
            self._news.set()  # all of it may have been recorded meanwhile
