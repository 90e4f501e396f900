"""`Journal`: a queue that writes results to storage in batches, with retries."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from arena.hosting.ports import Recorder, StorageFailedError
from arena.records import FinishedMatch, TournamentBlock

MOST_WAITING = 2_000
"""How many matches may wait to be recorded before no new ones should begin."""
BATCH = 256
"""Most matches recorded in one transaction: large enough to be cheap, small enough to be quick."""
RETRY_SECONDS = (0.1, 0.5, 2.0, 5.0)
"""Pauses between attempts while storage fails; the last one repeats."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Entry:
    match: FinishedMatch
    recorded: Callable[[], None]
    refused: Callable[[], None]


@dataclass(frozen=True, slots=True)
class _BlockEnd:
    block_id: str
    void: bool


class Journal:
    """Queues results and writes them in batches. `run` must be running."""

    def __init__(
        self,
        recorder: Recorder,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        gather_seconds: float = 0.0,
    ) -> None:
        """`gather_seconds` is how long a result waits for others to join its batch."""
        self._gather_seconds = gather_seconds
        self._recorder = recorder
        self._sleep = sleep
        self._matches: list[_Entry] = []
        self._block_ends: list[_BlockEnd] = []
        self._openings: list[TournamentBlock] = []
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

    @property
    def waiting(self) -> int:
        """Matches that are not recorded yet."""
        return len(self._matches)

    def add(
        self, match: FinishedMatch, recorded: Callable[[], None], refused: Callable[[], None]
    ) -> None:
        """Record a match, then call `recorded`, or `refused` if storage rejects it for good."""
        self._matches.append(_Entry(match, recorded, refused))
        self._wake()

    def open_block(self, block: TournamentBlock) -> None:
        """Record that a tournament's block has begun, before any match of it."""
        self._openings.append(block)
        self._wake()

    def end_block(self, block_id: str, *, void: bool) -> None:
        """End a block early, after those of its matches that were added before."""
        self._block_ends.append(_BlockEnd(block_id, void))
        self._wake()

    async def settled(self) -> None:
        """Wait until everything added is written."""
        await self._idle.wait()

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            await self._news.wait()
            if self._gather_seconds:
                await asyncio.sleep(self._gather_seconds)
            self._news.clear()
            while self._openings or self._matches or self._block_ends:
                await self._write()
            self._idle.set()

    def _wake(self) -> None:
        self._idle.clear()
        self._news.set()

    async def _write(self) -> None:
        openings = list(self._openings)
        # Copies: a block that ends during the write must wait for the matches added before it.
        batch, ends = self._matches[:BATCH], list(self._block_ends)
        if len(batch) < len(self._matches):
            ends = []
        refused = await self._persist(openings, [entry.match for entry in batch], ends)
        del self._openings[: len(openings)]
        del self._matches[: len(batch)]
        del self._block_ends[: len(ends)]
        self.recorded += len(batch) - len(refused)
        for entry in batch:
            _tell(entry, entry.match.transcript.setup.match_id in refused)
        for listener in self.listeners:
            listener()

    async def _persist(
        self,
        openings: list[TournamentBlock],
        matches: list[FinishedMatch],
        ends: list[_BlockEnd],
    ) -> set[str]:
        """Write everything, and return the ids of the matches that storage rejected for good.

        Recording is idempotent, so an attempt that failed half way is simply repeated.
        """
        failures = 0
        while True:
            refused: set[str] = set()
            try:
                await self._open(openings)
                await self._record(matches, refused)
                for end in ends:
                    await self._end(end)
            except StorageFailedError as error:
                pause = RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)]
                failures += 1
                log.error(
                    "results not recorded yet",
                    retry_s=pause,
                    waiting=len(self._matches),
                    why=str(error),
                )
                await self._sleep(pause)
            else:
                return refused

    async def _record(self, matches: list[FinishedMatch], refused: set[str]) -> None:
        """Record a batch; matches that storage rejects are added to `refused`, the rest written."""
        if not matches:
            return
        try:
            await self._recorder.record(matches)
        except StorageFailedError:
            raise
        except Exception:
            if len(matches) > 1:
                for match in matches:
                    await self._record([match], refused)
                return
            (match,) = matches
            refused.add(match.transcript.setup.match_id)
            log.exception("result refused", match=match.transcript.setup.match_id)
            # Its block can never be complete, and must not count in part.
            await self._recorder.refuse_block(match.block)

    async def _open(self, openings: list[TournamentBlock]) -> None:
        if not openings:
            return
        try:
            await self._recorder.open_blocks(openings)
        except StorageFailedError:
            raise
        except Exception:
            # Their matches are still recorded, and rated or not as the blocks say. After the next
            # start the tournament finds the blocks missing and has them played again.
            log.exception("blocks not opened", blocks=len(openings))

    async def _end(self, end: _BlockEnd) -> None:
        try:
            if end.void:
                await self._recorder.void_block(end.block_id)
            else:
                await self._recorder.close_block(end.block_id)
        except StorageFailedError:
            raise
        except Exception:
            log.exception("block not ended", block=end.block_id)


def _tell(entry: _Entry, refused: bool) -> None:
    try:
        (entry.refused if refused else entry.recorded)()
    except Exception:
        # The result is recorded; the journal must continue for the other matches.
        log.exception("end not announced", match=entry.match.transcript.setup.match_id)
