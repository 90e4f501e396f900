"""What waits for storage: what of it is kept, how it is counted, and its bound."""

import asyncio
from dataclasses import dataclass, field

import pytest

from arena.records import FinishedMatch, VersionId
from arena.server.failover.result_writer import ResultWriter
from arena.server.failover.waiting import Waiting
from tests.bots import PATIENCE
from tests.recorded_results import finished
from tests.server.ladder.recorders import FakeRecorder, down, match_id

VERSIONS = (VersionId(1), VersionId(2))


def test_what_is_kept_is_the_front_of_what_waits() -> None:
    waiting = Waiting[str]()
    assert (len(waiting), waiting.end, waiting.kept) == (0, 0, 0)
    for item in "abcde":
        waiting.append(item)
    waiting.keep(2)
    assert (waiting.kept, waiting.not_kept(), waiting.end) == (2, ["c", "d", "e"], 5)
    waiting.drop(1)
    assert list(waiting) == ["b", "c", "d", "e"]
    assert (waiting.kept, waiting.not_kept(), waiting.end) == (1, ["c", "d", "e"], 5)
    waiting.drop(3)
    assert (waiting.kept, waiting.not_kept(), waiting.end) == (0, ["e"], 5)
    waiting.keep(5)
    waiting.keep(3)
    assert (waiting.kept, waiting.not_kept()) == (1, [])
    waiting.append("f")
    assert (waiting.kept, waiting.not_kept(), waiting.end) == (1, ["f"], 6)


@dataclass
class Counted:
    """A Meter that keeps what it is told."""

    ended: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def finished(self, match: FinishedMatch) -> None:
        self.ended.append(match_id(match))

    def recorded(self, seconds: float) -> None:
        self.waits.append(seconds)


async def test_the_meter_is_told_of_every_match_and_how_long_those_recorded_had_waited() -> None:
    matches = [finished(VERSIONS) for _ in range(3)]
    meter, unwanted = Counted(), match_id(matches[1])
    writer = ResultWriter(FakeRecorder(unwanted={unwanted}), meter=meter)
    for match in matches:
        writer.add(match, lambda: None, lambda: None)
    assert meter.ended == [match_id(match) for match in matches]
    assert meter.waits == []
    task = asyncio.create_task(writer.run())
    async with asyncio.timeout(PATIENCE):
        await writer.settled()
    task.cancel()
    assert len(meter.waits) == 2
    assert all(0 <= seconds < 5 for seconds in meter.waits)
    assert writer.recorded == 2


async def test_while_storage_fails_two_thousand_matches_may_wait() -> None:
    recorder, match = FakeRecorder(failures=[down()]), finished(VERSIONS)
    stopped = asyncio.Event()

    async def tried_again(_seconds: float) -> None:
        stopped.set()
        await asyncio.Event().wait()

    writer = ResultWriter(recorder, tried_again)
    for _ in range(511):
        writer.add(match, lambda: None, lambda: None)
    assert not writer.full
    writer.add(match, lambda: None, lambda: None)
    assert writer.full
    task = asyncio.create_task(writer.run())
    async with asyncio.timeout(PATIENCE):
        await stopped.wait()
    for _ in range(512, 1_999):
        assert not writer.full
        writer.add(match, lambda: None, lambda: None)
    assert not writer.full
    writer.add(match, lambda: None, lambda: None)
    assert writer.full
    task.cancel()


async def test_watchers_are_told_that_there_is_room_when_storage_begins_to_fail() -> None:
    writer = ResultWriter(FakeRecorder(failures=[down()]))
    full: list[bool] = []
    writer.watchers.append(lambda: full.append(writer.full))
    for _ in range(512):
        writer.add(finished(VERSIONS), lambda: None, lambda: None)
    assert writer.full
    task = asyncio.create_task(writer.run())
    async with asyncio.timeout(PATIENCE):
        await writer.settled()
    task.cancel()
    assert full[0] is False


@pytest.mark.parametrize("void", [False, True])
async def test_a_block_that_ends_is_closed_or_void_as_it_was_said(void: bool) -> None:
    recorder = FakeRecorder()
    writer = ResultWriter(recorder)
    writer.end_block("block", void=void)
    task = asyncio.create_task(writer.run())
    async with asyncio.timeout(PATIENCE):
        await writer.settled()
    task.cancel()
    assert (recorder.voided, recorder.closed) == (["block"] * void, ["block"] * (not void))
