"""`EventKeeper`: freezes, plays and releases events at their dates, and keeps their ladders going.

It wakes at the next date, when an event changes, and when a pairing of a final is played. While a
final or a ladder is played it also looks regularly for blocks whose worker was lost. At the same
time it publishes the blocks of live finals as they are handed in. Every referee runs a keeper; what
is due is done only once (see `arena.server.events.finals.finals`).
"""

import asyncio
from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing
from typing import Final

import structlog

from arena.database.errors import LeaseLostError, StorageFailedError
from arena.server.events.event_notices import EventNotices
from arena.server.events.event_statements import BLOCK
from arena.server.events.finals.finals import Finals
from arena.server.events.finals.publishing import Record
from arena.server.events.ladders.ladders import EventLadders
from arena.waiting import wait_at_most

LOOK_SECONDS: Final = 15.0
"""The interval of looking for lost blocks of finals and ladders."""
LONGEST_WAIT_SECONDS: Final = 3_600.0
"""Upper bound of a wait, because the clock of the database may be changed."""
RETRY_SECONDS: Final = 2.0

log = structlog.get_logger()


class EventKeeper:
    """The keeper of one referee. `run` must be running."""

    def __init__(
        self, finals: Finals, ladders: EventLadders, notices: EventNotices, record: Record
    ) -> None:
        """Keep the events of `finals`; `record` records the matches of a final that are public."""
        self._finals = finals
        self._ladders = ladders
        self._notices = notices
        self._record = record
        self._news = asyncio.Event()
        self._block = asyncio.Event()
        """Set when a block of a live final is handed in."""

    async def run(self, changes: AsyncGenerator[Collection[str]]) -> None:
        """Keep the events; `changes` yields at once, and when one may have changed."""
        seconds = RETRY_SECONDS  # looks even if LISTEN fails
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._listen(changes))
            tasks.create_task(self._publish())
            while True:
                await wait_at_most(self._news, seconds)
                self._news.clear()
                seconds = await self._look()

    async def _look(self) -> float:
        """Do what is due; return after how many seconds to look again."""
        try:
            seconds = await self._finals.keep(self._record)
            practising = await self._ladders.keep()
            await self._notices.keep()
            playing = await self._finals.playing()
        except (StorageFailedError, LeaseLostError) as error:
            log.error("events wait for storage", why=str(error))
            return RETRY_SECONDS
        except Exception:
            # A bug must not stop the keeper; the next look may succeed.
            log.exception("events not kept", retry_s=LOOK_SECONDS)
            return LOOK_SECONDS
        longest = LOOK_SECONDS if playing or practising else LONGEST_WAIT_SECONDS
        return longest if seconds is None else min(seconds, longest)

    async def _publish(self) -> None:
        """Publish blocks of live finals; after an error, the next look publishes them."""
        while True:
            await self._block.wait()
            self._block.clear()
            try:
                await self._finals.publish(self._record)
            except (StorageFailedError, LeaseLostError) as error:
                log.error("blocks of a live final wait for storage", why=str(error))
            except Exception:
                log.exception("blocks of a live final not published")

    async def _listen(self, changes: AsyncGenerator[Collection[str]]) -> None:
        async with aclosing(changes) as told:
            async for payloads in told:
                if BLOCK in payloads:
                    self._block.set()
                if set(payloads) != {BLOCK}:
                    self._news.set()
