"""The way of results, and of matches that still run, into storage.

One writer takes turns: the results that are waiting, then what is new of the running matches. What
has come in meanwhile is written the next time, `gather_seconds` later.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from arena.hosting.keeping import Keeping
from arena.hosting.ports import LeaseLostError, Recorder, StorageFailedError
from arena.records import FinishedMatch, TournamentBlock

MOST_WAITING = 2_000
"""Matches waiting to be recorded, above which no new ones should begin."""
BATCH = 256
"""Matches recorded in one transaction: large enough to be cheap, small enough to be soon."""
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
        """`gather_seconds` is how long news may wait for company before it is written."""
        self._gather_seconds = gather_seconds
        self._recorder = recorder
        self._sleep = sleep
        self._matches: list[_Entry] = []
        self._block_ends: list[_BlockEnd] = []
        self._openings: list[TournamentBlock] = []
        self._news = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self.keeping = Keeping(self._wake)
        """What of the running matches is to be kept, lest they end with this process."""
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
        """Record a match, then call `recorded`; `refused` when storage will never take it."""
        self._matches.append(_Entry(match, recorded, refused))
        self._wake()

    def open_block(self, block: TournamentBlock) -> None:
        """Record that a block of a tournament is begun, before any match of it."""
        self._openings.append(block)
        self._wake()

    def end_block(self, block_id: str, *, void: bool) -> None:
        """End a block before its time, after the matches of it that were added before."""
        self._block_ends.append(_BlockEnd(block_id, void))
        self._wake()

    async def settled(self) -> None:
        """Wait until nothing is waiting."""
        await self._idle.wait()

    async def run(self) -> None:
        """Write until cancelled. Raises LeaseLostError when another referee has taken over."""
        while True:
            await self._news.wait()
            if self._gather_seconds:
                await asyncio.sleep(self._gather_seconds)
            self._news.clear()
            waiting = len(self._matches)
            while waiting > 0 or self._openings or self._block_ends:
                waiting -= await self._write()
            if unkept := self.keeping.unkept():
                await self._until_done(lambda: self._recorder.keep(unkept))
                self.keeping.keep(unkept)
            if not self._news.is_set():
                self._idle.set()

    def _wake(self) -> None:
        self._idle.clear()
        self._news.set()

    async def _write(self) -> int:
        """Write one batch; how many matches were in it."""
        openings = list(self._openings)
        # Copies: what ends while we write must wait until the matches before it are written.
        batch, ends = self._matches[:BATCH], list(self._block_ends)
        if len(batch) < len(self._matches):
            ends = []
        refused = await self._persist(openings, [entry.match for entry in batch], ends)
        del self._openings[: len(openings)]
        del self._matches[: len(batch)]
        del self._block_ends[: len(ends)]
        self.recorded += len(batch) - len(refused)
        for entry in batch:
            match_id = entry.match.transcript.setup.match_id
            self.keeping.gone(entry.match.block.id, match_id)
            _tell(entry, match_id in refused)
        for listener in self.listeners:
            listener()
        return len(batch)

    async def _persist(
        self,
        openings: list[TournamentBlock],
        matches: list[FinishedMatch],
        ends: list[_BlockEnd],
    ) -> set[str]:
        """Write all of it, and return the ids of what was refused for good."""
        refused: set[str] = set()

        async def write() -> None:
            refused.clear()
            await self._open(openings)
            await self._record(matches, refused)
            for end in ends:
                await self._end(end)

        await self._until_done(write)
        return refused

    async def _until_done(self, write: Callable[[], Awaitable[None]]) -> None:
        """Try again while storage fails. Writing twice is writing once, so that an attempt that
        failed half way is simply repeated."""
        failures = 0
        while True:
            try:
                return await write()
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

    async def _record(self, matches: list[FinishedMatch], refused: set[str]) -> None:
        """Record a batch; what storage refuses for good is set aside, so that the rest goes in."""
        if not matches:
            return
        try:
            await self._recorder.record(matches)
        except (StorageFailedError, LeaseLostError):
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
        except (StorageFailedError, LeaseLostError):
            raise
        except Exception:
            # Their matches are recorded all the same, and rated or not as the blocks say; the
            # tournament finds them missing after the next start and has them played again.
            log.exception("blocks not opened", blocks=len(openings))

    async def _end(self, end: _BlockEnd) -> None:
        try:
            if end.void:
                await self._recorder.void_block(end.block_id)
            else:
                await self._recorder.close_block(end.block_id)
        except (StorageFailedError, LeaseLostError):
            raise
        except Exception:
            log.exception("block not ended", block=end.block_id)


def _tell(entry: _Entry, refused: bool) -> None:
    try:
        (entry.refused if refused else entry.recorded)()
    except Exception:
        # The result is safe; the journal must go on for the others.
        log.exception("end not told", match=entry.match.transcript.setup.match_id)
