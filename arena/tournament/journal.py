"""The way of results into storage: what has come in while one batch was written is the next."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from arena.tournament.ports import FinishedMatch, Recorder, StorageFailedError

MOST_WAITING = 2_000
"""Matches waiting to be recorded, above which no new ones should begin."""
BATCH = 256
"""Matches recorded in one transaction: large enough to be cheap, small enough to be soon."""
RETRY_SECONDS = (0.1, 0.5, 2.0, 5.0)
"""Pauses between attempts while storage fails; the last one repeats."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _BlockEnd:
    block_id: str
    void: bool


class Journal:
    """Queues results and writes them in batches. `run` must be running."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._matches: list[tuple[FinishedMatch, Callable[[], None]]] = []
        self._block_ends: list[_BlockEnd] = []
        self._news = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self.recorded = 0
        """Matches recorded since the start."""
        self.listeners: list[Callable[[], None]] = []
        """Called after each batch."""

    @property
    def full(self) -> bool:
        """Whether so much is waiting that no new match should begin."""
        return len(self._matches) >= MOST_WAITING

    def add(self, match: FinishedMatch, recorded: Callable[[], None]) -> None:
        """Record a match, then call `recorded`."""
        self._matches.append((match, recorded))
        self._wake()

    def end_block(self, block_id: str, *, void: bool) -> None:
        """End a block before its time, after the matches of it that were added before."""
        self._block_ends.append(_BlockEnd(block_id, void))
        self._wake()

    async def settled(self) -> None:
        """Wait until nothing is waiting."""
        await self._idle.wait()

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            while self._matches or self._block_ends:
                await self._write()
            self._idle.set()

    def _wake(self) -> None:
        self._idle.clear()
        self._news.set()

    async def _write(self) -> None:
        batch, ends = self._matches[:BATCH], self._block_ends
        if len(batch) < len(self._matches):
            ends = []
        await self._persist([match for match, _ in batch], ends)
        del self._matches[: len(batch)]
        del self._block_ends[: len(ends)]
        self.recorded += len(batch)
        for _, recorded in batch:
            recorded()
        for listener in self.listeners:
            listener()

    async def _persist(self, matches: list[FinishedMatch], ends: list[_BlockEnd]) -> None:
        """Recording is idempotent, so an attempt that failed half way is simply repeated."""
        failures = 0
        while True:
            try:
                await self._record(matches)
                for end in ends:
                    if end.void:
                        await self._recorder.void_block(end.block_id)
                    else:
                        await self._recorder.close_block(end.block_id)
            except StorageFailedError as error:
                pause = RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)]
                failures += 1
                log.error(
                    "results not recorded yet",
                    retry_s=pause,
                    waiting=len(self._matches),
                    why=str(error),
                )
                await asyncio.sleep(pause)
            else:
                return

    async def _record(self, matches: list[FinishedMatch]) -> None:
        """Record a batch; what storage refuses for good is set aside, so that the rest goes in."""
        if not matches:
            return
        try:
            await self._recorder.record(matches)
        except StorageFailedError:
            raise
        except Exception:
            if len(matches) == 1:
                log.exception("result refused", match=matches[0].transcript.setup.match_id)
                return
            for match in matches:
                await self._record([match])
