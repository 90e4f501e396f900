"""Results reach storage: in batches, once each, and whatever storage does in between."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from functools import partial

import pytest
from structlog.testing import capture_logs

from arena.match.notes import NotesTaken
from arena.match.transcript import Opening
from arena.records import FinishedMatch, TournamentBlock, TournamentId, VersionId
from arena.server.failover.result_writer import (
    AT_ONCE,
    BATCH,
    MOST_WAITING,
    RETRY_SECONDS,
    ResultWriter,
)
from arena.server.play.kept_blocks import BegunMatch, RunningBlock, Unkept
from tests.bots import PATIENCE
from tests.recorded_results import block, finished
from tests.server.ladder.recorders import FakeRecorder, down, match_id

VERSIONS = (VersionId(1), VersionId(2))


class Writing:
    """A writer, what came back from it, and how long it waited between attempts."""

    def __init__(self, recorder: FakeRecorder) -> None:
        self.recorder = recorder
        self.recorded: list[str] = []
        self.refused: list[str] = []
        self.pauses: list[float] = []
        self.writer = ResultWriter(recorder, self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def add(self, match: FinishedMatch) -> None:
        name = match_id(match)
        self.writer.add(
            match, lambda: self.recorded.append(name), lambda: self.refused.append(name)
        )


@asynccontextmanager
async def writing(recorder: FakeRecorder) -> AsyncIterator[Writing]:
    scene = Writing(recorder)
    task = asyncio.create_task(scene.writer.run())
    try:
        yield scene
        async with asyncio.timeout(PATIENCE):
            await scene.writer.settled()
    finally:
        task.cancel()


def some(count: int) -> list[FinishedMatch]:
    return [finished(VERSIONS) for _ in range(count)]


async def test_a_result_is_recorded_and_then_told() -> None:
    (match,) = some(1)
    async with writing(FakeRecorder()) as scene:
        scene.add(match)
        assert scene.recorded == []
    assert scene.recorder.matches == [match]
    assert scene.recorded == [match_id(match)]
    assert scene.writer.recorded == 1


async def test_matches_that_end_are_written_down_together_before_they_are_recorded() -> None:
    matches = some(AT_ONCE + 2)
    written: list[FinishedMatch] = []

    async with writing(FakeRecorder()) as scene:

        def write_down(match: FinishedMatch) -> None:
            assert scene.recorder.matches == []
            written.append(match)
            scene.add(match)

        for match in matches:
            scene.writer.end(match.block.id, partial(write_down, match))
        assert (written, scene.writer.waiting) == ([], len(matches))
        assert scene.writer.writes([matches[-1].block.id])
    assert written == scene.recorder.matches == matches
    assert scene.recorder.batches == [len(matches)]


async def test_what_comes_in_while_a_batch_is_written_is_the_next_batch() -> None:
    gate = asyncio.Event()

    class Slow(FakeRecorder):
        async def record(
            self, matches: Sequence[FinishedMatch], kept: Collection[str] = ()
        ) -> None:
            await gate.wait()
            await super().record(matches, kept)

    first, *later = some(4)
    async with writing(Slow()) as scene:
        scene.add(first)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        for match in later:
            scene.add(match)
        gate.set()
    assert scene.recorder.batches == [1, 3]


async def test_what_comes_in_while_it_gathers_is_written_at_once() -> None:
    matches = some(2)
    recorder = FakeRecorder()
    writer = ResultWriter(recorder, gather_seconds=0.5)
    task = asyncio.create_task(writer.run())
    for match in matches:
        writer.add(match, lambda: None, lambda: None)
        for _ in range(10):
            await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE):
        await writer.settled()
    task.cancel()
    assert recorder.batches == [2]


async def test_a_block_that_is_cut_short_while_a_batch_is_written_waits_for_its_last_match() -> (
    None
):
    first, last = some(2)
    gate = asyncio.Event()

    class Slow(FakeRecorder):
        async def record(
            self, matches: Sequence[FinishedMatch], kept: Collection[str] = ()
        ) -> None:
            await gate.wait()
            await super().record(matches, kept)

        async def close_block(self, block_id: str) -> None:
            assert self.matches == [first, last]
            await super().close_block(block_id)

    async with writing(Slow()) as scene:
        scene.add(first)
        for _ in range(3):
            await asyncio.sleep(0)
        scene.writer.end(last.block.id, lambda: scene.add(last))
        scene.writer.end_block(last.block.id, void=False)
        gate.set()
    assert scene.recorder.closed == [last.block.id]


async def test_a_long_queue_is_written_in_batches_and_in_order() -> None:
    matches = some(2 * BATCH + 10)
    async with writing(FakeRecorder()) as scene:
        for match in matches:
            scene.add(match)
    assert scene.recorder.batches == [BATCH, BATCH, 10]
    assert scene.recorder.matches == matches
    assert scene.recorded == [match_id(match) for match in matches]


async def test_a_block_ends_after_the_matches_of_it_that_came_before() -> None:
    of = block(3)
    matches = [finished(VERSIONS, of, position) for position in range(2)]
    others = some(BATCH)
    async with writing(FakeRecorder()) as scene:
        for match in [*others, *matches]:
            scene.add(match)
        scene.writer.end_block(of.id, void=False)
        scene.writer.end_block("another", void=True)
    assert scene.recorder.order[-4:] == [
        *map(match_id, matches),
        f"closed {of.id}",
        "voided another",
    ]


async def test_running_matches_that_storage_refuses_cost_no_results() -> None:
    class Refusing(FakeRecorder):
        async def keep(self, unkept: Unkept) -> None:
            raise ValueError("it cannot be kept")

    of, (match,) = block(), some(1)
    with capture_logs() as log:
        async with writing(Refusing()) as scene:
            transcript = match.transcript
            opening = Opening(transcript.opening.secret, transcript.opening.entropies)
            begun = BegunMatch(transcript.setup, opening, of.id, 0, match.started_at)
            running = RunningBlock(of, (), "bluff", transcript.setup.options, engaged=False)
            scene.writer.snapshots.begin(of.id, lambda: running, begun, NotesTaken())
            await scene.writer.settled()
            scene.add(match)
    assert scene.recorded == [match_id(match)]
    assert [line["event"] for line in log] == ["running matches not kept"]


async def test_while_storage_fails_it_tries_again_and_nothing_is_lost_or_told_early() -> None:
    matches = some(3)
    recorder = FakeRecorder(failures=[down() for _ in range(6)])
    with capture_logs() as log:
        async with writing(recorder) as scene:
            for match in matches:
                scene.add(match)
            scene.writer.end_block("cut short", void=False)
    assert recorder.matches == matches
    assert recorder.closed == ["cut short"]
    assert scene.recorded == [match_id(match) for match in matches]
    assert scene.pauses == [*RETRY_SECONDS, *[RETRY_SECONDS[-1]] * (6 - len(RETRY_SECONDS))]
    *failures, mended = log
    assert {line["why"] for line in failures} == {"the database does not answer"}
    assert mended["event"] == "results are recorded again"


async def test_a_block_begins_and_ends_once_storage_works_again() -> None:
    recorder, of = FakeRecorder(failures=[down()]), block()
    async with writing(recorder) as scene:
        scene.writer.open_block(TournamentBlock(TournamentId(1), (1, 0), of))
        assert (scene.writer.writes([of.id]), scene.writer.writes(["another"])) == (True, False)
        await scene.writer.settled()
        assert not scene.writer.writes([of.id])
        recorder.failures.append(down())
        scene.writer.end_block(of.id, void=True)
    assert (recorder.opened, recorder.voided) == ([of.id], [of.id])
    assert scene.pauses == [RETRY_SECONDS[0]] * 2


async def test_an_attempt_that_failed_after_its_work_was_done_records_nothing_twice() -> None:
    matches = some(3)
    recorder = FakeRecorder(failures=[down(), down()], half_way=True)
    async with writing(recorder) as scene:
        for match in matches:
            scene.add(match)
    assert recorder.matches == matches
    assert scene.recorded == [match_id(match) for match in matches]
    assert scene.writer.recorded == 3


async def test_one_refused_result_does_not_keep_the_others_out() -> None:
    matches = some(5)
    unwanted = match_id(matches[2])
    with capture_logs() as log:
        async with writing(FakeRecorder(unwanted={unwanted})) as scene:
            for match in matches:
                scene.add(match)
    good = [match_id(match) for match in matches if match_id(match) != unwanted]
    assert [match_id(match) for match in scene.recorder.matches] == good
    assert scene.recorded == good
    assert scene.refused == [unwanted]
    assert scene.writer.recorded == 4
    assert [line["match"] for line in log if line["event"] == "result refused"] == [unwanted]


async def test_the_block_of_a_refused_result_is_void() -> None:
    of = block(2)
    match = finished(VERSIONS, of)
    async with writing(FakeRecorder(unwanted={match_id(match)})) as scene:
        scene.add(match)
    assert scene.recorder.voided == [of.id]


@pytest.mark.slow
async def test_a_refusal_and_a_failure_together_lose_nothing() -> None:
    matches = some(4)
    recorder = FakeRecorder(failures=[down()], unwanted={match_id(matches[0])})
    async with writing(recorder) as scene:
        for match in matches:
            scene.add(match)
    assert recorder.matches == matches[1:]
    assert scene.refused == [match_id(matches[0])]
    assert len(scene.recorded) == 3


async def test_a_block_that_cannot_be_ended_does_not_stop_the_rest() -> None:
    (match,) = some(1)
    with capture_logs() as log:
        async with writing(FakeRecorder(failures=[RuntimeError("no such block")])) as scene:
            scene.writer.end_block("unknown", void=True)
            await scene.writer.settled()
            scene.add(match)
    assert scene.recorded == [match_id(match)]
    assert [line["block"] for line in log] == ["unknown"]


async def test_a_player_that_cannot_be_told_does_not_stop_the_rest() -> None:
    one, other = some(2)

    def fails() -> None:
        raise RuntimeError("the end cannot be put into words")

    with capture_logs() as log:
        async with writing(FakeRecorder()) as scene:
            scene.writer.add(one, fails, fails)
            scene.add(other)
    assert scene.recorded == [match_id(other)]
    assert [line["match"] for line in log] == [match_id(one)]


async def test_listeners_are_called_after_each_batch() -> None:
    counts: list[int] = []
    async with writing(FakeRecorder()) as scene:
        scene.writer.listeners.append(lambda: counts.append(scene.writer.recorded))
        for match in some(BATCH + 1):
            scene.add(match)
    assert counts == [BATCH, BATCH + 1]


async def test_it_is_full_when_too_much_is_waiting_and_says_how_much() -> None:
    scene = Writing(FakeRecorder())
    for match in some(MOST_WAITING - 1):
        scene.add(match)
    assert not scene.writer.full
    scene.add(some(1)[0])
    assert scene.writer.full
    assert scene.writer.waiting == MOST_WAITING


async def test_it_is_settled_when_nothing_is_waiting_even_before_it_runs() -> None:
    scene = Writing(FakeRecorder())
    await in_time(scene.writer.settled)
    scene.add(some(1)[0])
    settled = asyncio.create_task(scene.writer.settled())
    await asyncio.sleep(0)
    assert not settled.done()
    run = asyncio.create_task(scene.writer.run())
    await in_time(lambda: settled)
    assert scene.writer.waiting == 0
    run.cancel()


async def in_time(wait: Callable[[], Awaitable[None]]) -> None:
    async with asyncio.timeout(PATIENCE):
        await wait()
