"""`ResultWriter`, which writes results and snapshots of running matches to storage in batches.

The writer alternates: it writes the news of running matches, then the waiting results. What has
come in meanwhile is written the next time, `gather_seconds` later.

While storage fails, the waiting results are written to a spool as well, so that they outlive this
process. They are announced only after they are recorded.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

import structlog

from arena.database.errors import LeaseLostError, StorageFailedError
from arena.records import BlockEnd, FinishedMatch, TournamentBlock
from arena.server.failover.match_snapshots import MatchSnapshots
from arena.server.failover.spooling import Spooling
from arena.server.failover.waiting import Waiting
from arena.server.play.kept_blocks import Unkept
from arena.server.play.ports import Happening, Meter, Recorder, Spool

MOST_WHILE_FAILING = 2_000
"""The number of unrecorded matches at which no new ones should begin while storage fails."""
BATCH = 256
"""The most matches recorded in one transaction: enough to be cheap, few enough to be quick."""
MOST_WAITING = 2 * BATCH
"""The number of unrecorded matches at which no new ones should begin while storage works.

Bots are told of an end after it is recorded. On a busy machine matches may end faster than they are
recorded, and a longer queue would delay the ends by seconds.
"""
AT_ONCE = 16
"""The most results written down at once: some milliseconds in which no message is read."""
RETRY_SECONDS = (0.1, 0.5, 1.0)
"""Pauses between attempts while storage fails; the last one repeats."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Entry:
    match: FinishedMatch
    recorded: Callable[[], None]
    refused: Callable[[], None]
    since: float


class ResultWriter:
    """A queue of results, written in batches. `run` must be running."""

    def __init__(
        self,
        recorder: Recorder,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        gather_seconds: float = 0.0,
        spool: Spool | None = None,
        meter: Meter | None = None,
    ) -> None:
        """Create the writer; news wait `gather_seconds` for more before they are written."""
        self._meter = meter
        self._gather_seconds = gather_seconds
        self._recorder = recorder
        self._sleep = sleep
        self._ended: deque[tuple[str, Callable[[], None]]] = deque()
        """The matches whose results are not written down yet: block id and callback for each."""
        self._matches = Waiting[_Entry]()
        self._block_ends = Waiting[BlockEnd]()
        self._openings = Waiting[TournamentBlock]()
        self._queues: tuple[Waiting[Any], ...] = (self._openings, self._matches, self._block_ends)
        self._spooling = None
        if spool is not None:
            self._spooling = Spooling(
                spool, self._queues, _happening, self._spool_changed, gather_seconds
            )
        self.snapshots = MatchSnapshots(self._wake)
        """The state of running matches to keep, so that they outlive this process."""
        self.failing = False
        """Whether storage failed at the last attempt to record."""
        self._news = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self.recorded = 0
        """Matches recorded since the start."""
        self.listeners: list[Callable[[], None]] = []
        """Called after each batch."""
        self.watchers: list[Callable[[], None]] = []
        """Called when storage begins or stops to fail, and when the spool was used."""

    @property
    def full(self) -> bool:
        """Whether so much is waiting that no new match should begin."""
        spool_fails = self._spooling is not None and self._spooling.fails
        most = MOST_WHILE_FAILING if self.failing else MOST_WAITING
        return self.waiting >= most or (self.failing and spool_fails)

    @property
    def waiting(self) -> int:
        """The number of matches that are not recorded yet."""
        return len(self._ended) + len(self._matches)

    def writes(self, block_ids: Collection[str]) -> bool:
        """Return whether the beginning or a match of one of these blocks is not recorded yet."""
        blocks = frozenset(block_ids)
        return bool(blocks) and (
            any(opening.block.id in blocks for opening in self._openings)
            or any(block_id in blocks for block_id, _ in self._ended)
            or any(entry.match.block.id in blocks for entry in self._matches)
        )

    @property
    def spooled(self) -> int:
        """The number of waiting matches that are in the spool."""
        return self._matches.kept

    def add(
        self, match: FinishedMatch, recorded: Callable[[], None], refused: Callable[[], None]
    ) -> None:
        """Record a match, then call `recorded`, or `refused` if storage will never take it."""
        self._matches.append(_Entry(match, recorded, refused, monotonic()))
        if self._meter is not None:
            self._meter.finished(match)
        self._wake()

    def end(self, block_id: str, write_down: Callable[[], None]) -> None:
        """Take a match that has ended; `write_down` is called soon, and adds its result.

        Several matches are written down together: the same work done in a row finds its code and
        data in the processor's caches; done between the messages of bots, it does not.
        """
        self._ended.append((block_id, write_down))
        self._wake()
        if self.failing:
            self._write_down(len(self._ended))

    def _write_down(self, most: int) -> None:
        for _ in range(min(most, len(self._ended))):
            _, write_down = self._ended.popleft()
            write_down()

    def open_block(self, block: TournamentBlock) -> None:
        """Record that a tournament's block has begun, before any match of it."""
        self._openings.append(block)
        self._wake()

    def end_block(self, block_id: str, *, void: bool) -> None:
        """End a block before its time, after its matches that were added before."""
        self._block_ends.append(BlockEnd(block_id, void))
        self._wake()

    async def settled(self) -> None:
        """Wait until nothing is waiting, or all of it is in the spool while storage fails."""
        await self._idle.wait()

    async def run(self) -> None:
        """Write until cancelled. Raises LeaseLostError when another referee has taken over."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._record_news())
            if self._spooling is not None:
                tasks.create_task(self._spooling.run())

    async def _record_news(self) -> None:
        while True:
            await self._news.wait()
            if self._gather_seconds:
                await asyncio.sleep(self._gather_seconds)
            while self._ended:
                self._write_down(AT_ONCE)
                await asyncio.sleep(0)
            self._news.clear()
            # First, because a large batch of results takes long and would delay it.
            if unkept := self.snapshots.unkept():
                await self._until_done(lambda: self._keep(unkept))
                self.snapshots.keep(unkept)
            waiting = len(self._matches)
            while waiting > 0 or self._openings or self._block_ends:
                waiting -= await self._write()
            if not self._news.is_set():
                self._idle.set()

    def _wake(self) -> None:
        self._idle.clear()
        self._news.set()
        if self.failing and self._spooling is not None:
            self._spooling.need()

    async def _write(self) -> int:
        """Write one batch. Return how many matches were in it."""
        self._write_down(len(self._ended))  # before the ends of their blocks
        openings = list(self._openings)
        # Copies: blocks that end while we write must wait until their matches are written.
        batch, ends = list(self._matches)[:BATCH], list(self._block_ends)
        if len(batch) < len(self._matches):
            ends = []
        refused = await self._persist(openings, [entry.match for entry in batch], ends)
        self._openings.drop(len(openings))
        self._matches.drop(len(batch))
        self._block_ends.drop(len(ends))
        if self._spooling is not None:
            self._spooling.need_no_more()
        self.recorded += len(batch) - len(refused)
        for entry in batch:
            match_id = entry.match.transcript.setup.match_id
            was_refused = match_id in refused
            self.snapshots.gone(entry.match.block.id, match_id)
            if self._meter is not None and not was_refused:
                self._meter.recorded(monotonic() - entry.since)
            _tell(entry, was_refused)
        for listener in self.listeners:
            listener()
        return len(batch)

    async def _persist(
        self,
        openings: list[TournamentBlock],
        matches: list[FinishedMatch],
        ends: list[BlockEnd],
    ) -> set[str]:
        """Write everything, and return the ids of the matches that storage rejected for good."""
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
        """Write, trying again while storage fails; every write is idempotent."""
        failures = 0
        while True:
            try:
                await write()
            except StorageFailedError as error:
                pause = RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)]
                failures += 1
                self.failing = True
                self._write_down(len(self._ended))
                if self._spooling is not None:
                    self._spooling.need()
                self._tell_watchers()
                log.error(
                    "results not recorded yet",
                    retry_s=pause,
                    waiting=len(self._matches),
                    why=str(error),
                )
                await self._sleep(pause)
            else:
                if failures:
                    log.warning("results are recorded again", waiting=len(self._matches))
                    self.failing = False
                    if self._spooling is not None:
                        self._spooling.need_no_more()
                    self._tell_watchers()
                return

    def _spool_changed(self) -> None:
        if self.failing and not any(queue.not_kept() for queue in self._queues):
            self._idle.set()
        self._tell_watchers()

    def _tell_watchers(self) -> None:
        for watcher in self.watchers:
            watcher()

    async def _record(self, matches: list[FinishedMatch], refused: set[str]) -> None:
        """Record a batch; add matches that storage rejects to `refused`, and write the rest."""
        if not matches:
            return
        try:
            await self._recorder.record(matches, self.snapshots.kept_of(matches))
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

    async def _keep(self, unkept: Unkept) -> None:
        # If storage rejects them, these matches are lost with this process, but played until then.
        with _refusal_logged("running matches not kept", matches=len(unkept.begun)):
            await self._recorder.keep(unkept)

    async def _open(self, openings: list[TournamentBlock]) -> None:
        if not openings:
            return
        # If storage rejects them, their matches are still recorded, and rated according to the
        # blocks. After the next start the tournament finds the blocks missing and has them played
        # again.
        with _refusal_logged("blocks not opened", blocks=len(openings)):
            await self._recorder.open_blocks(openings)

    async def _end(self, end: BlockEnd) -> None:
        with _refusal_logged("block not ended", block=end.block_id):
            if end.void:
                await self._recorder.void_block(end.block_id)
            else:
                await self._recorder.close_block(end.block_id)


@contextmanager
def _refusal_logged(event: str, **values: object) -> Iterator[None]:
    """Log a write that storage rejects for good, and continue without it.

    Raises StorageFailedError, after which the write is retried, and LeaseLostError.
    """
    try:
        yield
    except (StorageFailedError, LeaseLostError):
        raise
    except Exception:
        log.exception(event, **values)


def _happening(item: _Entry | TournamentBlock | BlockEnd) -> Happening:
    return item.match if isinstance(item, _Entry) else item


def _tell(entry: _Entry, refused: bool) -> None:
    try:
        (entry.refused if refused else entry.recorded)()
    except Exception:
        # The result is recorded; the writer must continue for the other matches.
        log.exception("end not announced", match=entry.match.transcript.setup.match_id)
