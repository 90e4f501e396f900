"""Reading calls are queued: one at a time, equal ones answered once, a part of the time."""

import asyncio
from dataclasses import dataclass, field

import grpc
import pytest

from arena.server.limits.limits import LimitError, Limits
from arena.server.reading.calls import ReadingAnswer
from arena.server.reading.reading_queue import (
    KEPT_SECONDS,
    MOST_KEPT,
    MOST_KEPT_BYTES,
    ReadingQueue,
)
from arena.server.requests.errors import ProtocolError

PEER = "ipv4:192.0.2.1:5000"


@dataclass
class Library:
    """Answers when a test lets it, and takes as long as the test says."""

    clock: float = 0.0
    takes: float = 0.01
    status: str = ""
    size: int = 0
    """Bytes that an answer has beyond its words."""
    asked: list[bytes] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, call: str, request: bytes) -> ReadingAnswer:
        self.asked.append(request)
        await self.gate.wait()
        self.clock += self.takes
        return ReadingAnswer(b"answer to " + request + bytes(self.size), self.status)

    def queue(self, limits: Limits = Limits()) -> ReadingQueue:
        return ReadingQueue(self, limits, lambda: self.clock)


async def test_who_asks_the_same_shares_one_answer_which_is_kept_for_a_moment() -> None:
    library = Library()
    queue = library.queue()
    asking = [asyncio.create_task(queue.answer("ListBots", b"q", PEER)) for _ in range(5)]
    library.gate.set()
    assert await asyncio.gather(*asking) == [b"answer to q"] * 5
    await queue.answer("ListBots", b"q", PEER)
    assert library.asked == [b"q"]
    library.clock += KEPT_SECONDS
    await queue.answer("ListBots", b"q", PEER)
    assert library.asked == [b"q", b"q"]


async def test_questions_are_answered_one_after_the_other() -> None:
    library = Library()
    queue = library.queue()
    asking = [asyncio.create_task(queue.answer("ListBots", b"%d" % n, PEER)) for n in range(3)]
    for _ in range(10):
        await asyncio.sleep(0)
    assert library.asked == [b"0"]
    library.gate.set()
    await asyncio.gather(*asking)
    assert library.asked == [b"0", b"1", b"2"]


async def test_an_address_has_few_questions_waiting_and_leaves_room_for_others() -> None:
    library = Library()
    queue = library.queue(Limits(reads_an_address=2, reads_waiting=3))
    asking = [asyncio.create_task(queue.answer("ListBots", b"%d" % n, PEER)) for n in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(LimitError) as refused:
        await queue.answer("ListBots", b"2", PEER)
    assert refused.value.limit == "reading"
    other = asyncio.create_task(queue.answer("ListBots", b"3", "ipv4:192.0.2.2:1"))
    await asyncio.sleep(0)
    with pytest.raises(LimitError):
        await queue.answer("ListBots", b"4", "ipv4:192.0.2.3:1")
    library.gate.set()
    assert len(await asyncio.gather(*asking, other)) == 3
    assert await queue.answer("ListBots", b"5", PEER) == b"answer to 5"


async def test_who_gives_up_leaves_the_answer_to_the_others() -> None:
    library = Library()
    queue = library.queue()
    one = asyncio.create_task(queue.answer("ListBots", b"q", PEER))
    other = asyncio.create_task(queue.answer("ListBots", b"q", PEER))
    await asyncio.sleep(0)
    one.cancel()
    library.gate.set()
    assert await other == b"answer to q"


async def test_reading_takes_only_its_part_of_the_time() -> None:
    library = Library(takes=0.5)
    library.gate.set()
    limits = Limits(reading_share=0.25, reading_burst_seconds=1.0)
    queue = library.queue(limits)
    for number in range(3):
        await queue.answer("ListBots", b"%d" % number, PEER)
    # A second at once, and half a second more, for which two seconds are rested.
    assert queue.rest() == pytest.approx(2.0 - 3 * 0.5, abs=0.01)
    library.clock += 100
    assert queue.rest() == 0


async def test_a_refusal_is_passed_on_with_its_status() -> None:
    library = Library(status="NOT_FOUND")
    library.gate.set()
    with pytest.raises(ProtocolError) as refused:
        await library.queue().answer("GetTranscript", b"q", PEER)
    assert refused.value.code is grpc.StatusCode.NOT_FOUND


async def test_at_the_end_no_question_is_left_waiting() -> None:
    library = Library()
    queue = library.queue()
    asking = [asyncio.create_task(queue.answer("ListBots", b"%d" % n, PEER)) for n in range(3)]
    await asyncio.sleep(0)
    before = asyncio.all_tasks()
    await queue.close()
    await asyncio.gather(*asking, return_exceptions=True)
    assert all(task.cancelled() for task in asking)
    assert asyncio.all_tasks() == {asyncio.current_task()} < before
    library.gate.set()
    assert await queue.answer("ListBots", b"0", PEER) == b"answer to 0"


async def test_only_so_many_answers_are_kept_and_those_asked_for_last() -> None:
    library = Library(takes=0.0)
    library.gate.set()
    queue = library.queue()
    for number in range(MOST_KEPT):
        await queue.answer("ListBots", b"%d" % number, PEER)
    await queue.answer("ListBots", b"0", PEER)
    await queue.answer("ListBots", b"one more", PEER)
    library.asked.clear()
    for question in (b"0", b"2", b"%d" % (MOST_KEPT - 1), b"one more"):
        await queue.answer("ListBots", question, PEER)
    assert library.asked == []
    await queue.answer("ListBots", b"1", PEER)
    assert library.asked == [b"1"]


async def test_only_so_many_bytes_of_answers_are_kept() -> None:
    library = Library(takes=0.0, size=MOST_KEPT_BYTES // 4)
    library.gate.set()
    queue = library.queue()
    for number in range(4):
        await queue.answer("ListBots", b"%d" % number, PEER)
    library.asked.clear()
    for number in (1, 2, 3):
        await queue.answer("ListBots", b"%d" % number, PEER)
    assert library.asked == []
    await queue.answer("ListBots", b"0", PEER)
    assert library.asked == [b"0"]


async def test_an_answer_that_is_asked_for_anew_counts_once() -> None:
    library = Library(takes=0.0, size=MOST_KEPT_BYTES // 2)
    library.gate.set()
    queue = library.queue()
    for _ in range(5):
        await queue.answer("ListBots", b"large", PEER)
        library.clock += KEPT_SECONDS
    library.size = 0
    await queue.answer("ListBots", b"small", PEER)
    library.asked.clear()
    library.clock -= KEPT_SECONDS / 2
    await queue.answer("ListBots", b"large", PEER)
    await queue.answer("ListBots", b"small", PEER)
    assert library.asked == []


@pytest.mark.parametrize(
    ("status", "kept"), [("NOT_FOUND", True), ("UNAVAILABLE", False), ("INTERNAL", False)]
)
async def test_failures_that_pass_are_not_kept(status: str, kept: bool) -> None:
    library = Library(status=status)
    library.gate.set()
    queue = library.queue()
    for _ in range(2):
        with pytest.raises(ProtocolError, match="answer to q") as refused:
            await queue.answer("GetTranscript", b"q", PEER)
        assert refused.value.code.name == status
    assert len(library.asked) == (1 if kept else 2)


async def test_the_same_request_of_another_call_is_another_question() -> None:
    library = Library()
    library.gate.set()
    queue = library.queue()
    await queue.answer("ListBots", b"q", PEER)
    await queue.answer("ListMatches", b"q", PEER)
    assert library.asked == [b"q", b"q"]


async def test_who_is_refused_is_told_to_come_back_after_the_rest() -> None:
    library = Library(takes=10.0)
    library.gate.set()
    queue = library.queue(Limits(reads_an_address=1, reading_share=0.25, reading_burst_seconds=2.0))
    await queue.answer("ListBots", b"0", PEER)
    assert queue.rest() == pytest.approx(40 - 10 - 8)
    waiting = asyncio.create_task(queue.answer("ListBots", b"1", PEER))
    await asyncio.sleep(0)
    with pytest.raises(LimitError) as refused:
        await queue.answer("ListBots", b"2", PEER)
    assert refused.value.seconds == 23
    await queue.close()
    await asyncio.gather(waiting, return_exceptions=True)


async def test_time_without_questions_is_not_saved_up() -> None:
    library = Library(takes=1.0)
    library.gate.set()
    queue = library.queue(Limits(reading_share=0.5, reading_burst_seconds=0.5))
    library.clock = 1_000.0
    await queue.answer("ListBots", b"0", PEER)
    assert queue.rest() == 0
    library.takes = 10.0
    await queue.answer("ListBots", b"1", PEER)
    assert queue.rest() == pytest.approx(1 + 10 - 1)
