"""While storage fails, what waits is spooled too, and told to nobody before it is recorded."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from structlog.testing import capture_logs

from arena.database.errors import SpoolFailedError
from arena.records import BlockEnd, FinishedMatch, VersionId
from arena.server.failover.readiness import Readiness
from arena.server.failover.result_writer import BATCH, ResultWriter
from arena.server.play.ports import Happening
from tests.bots import PATIENCE
from tests.recorded_results import finished
from tests.server.ladder.recorders import FakeRecorder, down, match_id
from tests.waiting import until_async

soon = partial(until_async, pause=0)
"""Looks at each turn of the loop, as some of what is waited for passes by."""
VERSIONS = (VersionId(1), VersionId(2))


@dataclass
class FakeSpool:
    """Keeps in a list, and fails while a test says so."""

    full: bool = False
    kept: list[Happening] = field(default_factory=list)
    cleared: int = 0

    async def append(self, happenings: Sequence[Happening]) -> None:
        if self.full:
            raise SpoolFailedError("no space left")
        self.kept += happenings

    async def clear(self) -> None:
        self.kept.clear()
        self.cleared += 1


class Away(FakeRecorder):
    """A database that is away until a test says that it is back."""

    def __init__(self) -> None:
        super().__init__()
        self._before_pause = 1
        self.back = asyncio.Event()
        self.go_on = asyncio.Event()
        self.go_on.set()

    def pause_after_first(self) -> None:
        """Keep the second batch waiting until `go_on` is set."""
        self._before_pause = 1
        self.go_on.clear()

    async def record(self, matches: Sequence[FinishedMatch], kept: Collection[str] = ()) -> None:
        if not self.back.is_set():
            raise down()
        if self._before_pause == 0:
            await self.go_on.wait()
        self._before_pause -= 1
        await super().record(matches, kept)


class Scene:
    def __init__(self) -> None:
        self.recorder, self.spool = Away(), FakeSpool()
        self.told: list[str] = []
        self.tries = asyncio.Semaphore(0)
        self.writer = ResultWriter(self.recorder, self._sleep, spool=self.spool)

    async def _sleep(self, seconds: float) -> None:
        """Between attempts: until a test releases one."""
        await self.tries.acquire()

    def add(self, match: FinishedMatch) -> FinishedMatch:
        self.writer.add(match, lambda: self.told.append(match_id(match)), lambda: None)
        return match

    def come_back(self) -> None:
        self.recorder.back.set()
        self.tries.release()


@asynccontextmanager
async def scene() -> AsyncIterator[Scene]:
    made = Scene()
    running = asyncio.create_task(made.writer.run())
    try:
        yield made
    finally:
        running.cancel()


async def test_what_ends_while_storage_fails_is_written_down_at_once() -> None:
    async with scene() as at:
        matches = [finished(VERSIONS) for _ in range(3)]
        at.writer.end(matches[0].block.id, lambda: at.add(matches[0]))
        at.writer.end_block("wakes the writer", void=False)
        await soon(lambda: at.writer.failing)
        at.writer.end(matches[1].block.id, lambda: at.add(matches[1]))
        await soon(lambda: matches[1] in at.spool.kept)
        assert at.spool.kept[:2] == matches[:2]
        at.come_back()
        await at.writer.settled()
        at.writer.end(matches[2].block.id, lambda: at.add(matches[2]))
        await at.writer.settled()
        assert at.recorder.matches == matches


async def test_what_waits_is_spooled_as_it_comes_and_told_only_when_recorded() -> None:
    async with scene() as at:
        first = at.add(finished(VERSIONS))
        await soon(lambda: at.spool.kept == [first])
        second = at.add(finished(VERSIONS))
        at.writer.end_block("cut short", void=False)
        end = BlockEnd("cut short", void=False)
        await soon(lambda: at.spool.kept == [first, second, end])
        assert (at.writer.waiting, at.writer.spooled, at.told) == (2, 2, [])
        assert not at.writer.full
        at.come_back()
        await soon(lambda: at.spool.cleared == 1)
        assert at.recorder.matches == [first, second]
        assert at.recorder.closed == ["cut short"]
        assert at.told == [match_id(first), match_id(second)]
        assert (at.writer.waiting, at.writer.spooled) == (0, 0)


async def test_what_comes_in_while_it_gathers_is_spooled_together() -> None:
    groups: list[int] = []

    class Counting(FakeSpool):
        async def append(self, happenings: Sequence[Happening]) -> None:
            groups.append(len(happenings))
            await super().append(happenings)

    tries = asyncio.Semaphore(0)

    async def sleep(_: float) -> None:
        await tries.acquire()

    writer = ResultWriter(Away(), sleep, gather_seconds=0.02, spool=Counting())
    running = asyncio.create_task(writer.run())
    writer.add(finished(VERSIONS), lambda: None, lambda: None)
    await soon(lambda: writer.failing)
    for _ in range(5):
        writer.add(finished(VERSIONS), lambda: None, lambda: None)
        for _ in range(5):
            await asyncio.sleep(0)
    await soon(lambda: writer.spooled == 6)
    assert groups == [6]
    running.cancel()


async def test_nothing_is_spooled_while_storage_works() -> None:
    async with scene() as at:
        at.recorder.back.set()
        for _ in range(3):
            at.add(finished(VERSIONS))
        await at.writer.settled()
        assert (at.spool.kept, at.spool.cleared, len(at.told)) == ([], 0, 3)


async def test_it_is_settled_when_all_that_waits_is_spooled() -> None:
    async with scene() as at:
        at.add(finished(VERSIONS))
        async with asyncio.timeout(PATIENCE):
            await at.writer.settled()
        assert at.writer.spooled == 1


async def test_a_spool_that_fails_is_said_and_no_new_match_begins_until_it_works() -> None:
    with capture_logs() as log:
        async with scene() as at:
            at.spool.full = True
            at.add(finished(VERSIONS))
            await soon(lambda: at.writer.full)
            said = [line for line in log if "no new matches begin" in line["event"]]
            assert [line["why"] for line in said] == ["no space left"]
            at.spool.full = False
            at.tries.release()
            await soon(lambda: not at.writer.full)
            assert at.writer.spooled == 1


async def test_a_spool_that_fails_keeps_nobody_waiting_once_storage_works() -> None:
    async with scene() as at:
        at.spool.full = True
        at.add(finished(VERSIONS))
        await soon(lambda: at.writer.full)
        at.come_back()
        await soon(lambda: len(at.told) == 1)
        assert not at.writer.full


async def test_a_referee_is_not_ready_while_results_wait_in_the_spool() -> None:
    told: list[tuple[bool, str | None]] = []

    async def tell(ready: bool) -> None:
        told.append((ready, readiness.why_not))

    async with scene() as at:
        readiness = Readiness(at.writer)
        telling = asyncio.create_task(readiness.tell(tell))
        for _ in range(BATCH + 10):
            at.add(finished(VERSIONS))
        await soon(lambda: at.writer.spooled == BATCH + 10)
        assert readiness.why_not == "the database does not answer"
        at.recorder.pause_after_first()
        at.come_back()
        # The database answers, and has taken the first batch.
        await soon(lambda: at.writer.spooled == 10)
        assert not at.writer.failing
        assert readiness.why_not == "10 results wait in the spool"
        assert [ready for ready, _ in told] == [False]
        at.recorder.go_on.set()
        await soon(lambda: len(told) == 2)
        assert told[1] == (True, None)
        telling.cancel()
