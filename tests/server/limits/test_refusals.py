"""Refused calls: one line of the log for a flood, and a wait that is bounded."""

import asyncio
from typing import Any, cast

import grpc
import pytest
from structlog.testing import capture_logs

from arena.server.limits.connections import Connections
from arena.server.limits.limits import LimitError, Limits
from arena.server.limits.refusals import Refusals, Repeats
from arena.server.requests.errors import ProtocolError, malformed
from tests.bots import PATIENCE
from tests.service_calls import PEER, Call, EndedError, Meter
from tests.waiting import until_async


class Desk:
    """Refusals at a time that the test sets."""

    def __init__(self, **limits: Any) -> None:
        self.time = 1_000.0
        given = Limits(**limits)
        self.meter = Meter()
        self.connections = Connections(given, lambda: self.time)
        self.refusals = Refusals(given, self.meter, self.connections, lambda: self.time)

    async def end(self, error: ProtocolError) -> tuple[grpc.StatusCode | None, str, Any]:
        call = Call()
        with pytest.raises(EndedError):
            await self.refusals.end(cast(Any, call), error)
        return call.code, call.sentence, call.metadata

    @property
    def to_cut(self) -> list[str]:
        return list(self.connections._to_cut)


def too_many(seconds: float = 2.5) -> LimitError:
    return LimitError("calls", "too many calls from this address", seconds)


async def test_a_refusal_is_counted_by_its_status_and_by_its_limit() -> None:
    desk = Desk()
    with capture_logs() as log:
        for error in (malformed("no JSON"), too_many(), malformed("no JSON again")):
            desk.refusals.note("call refused", error)
    assert desk.meter.codes == ["INVALID_ARGUMENT", "RESOURCE_EXHAUSTED", "INVALID_ARGUMENT"]
    assert desk.meter.limits == ["calls"]
    assert [(line["code"], line["why"]) for line in log] == [
        ("INVALID_ARGUMENT", "no JSON"),
        ("RESOURCE_EXHAUSTED", "too many calls from this address: come back in 3 s"),
    ]


async def test_a_flood_is_two_lines_of_the_log_the_second_with_its_number() -> None:
    with capture_logs() as log:
        repeats = Repeats(seconds=0.01)
        for number in range(5):
            repeats.info("call refused", "calls", number=number)
        repeats.info("call refused", "streams", number=0)
        await until_async(lambda: len(log) == 3)
        repeats.info("call refused", "calls", number=5)
        await until_async(lambda: len(log) == 4)
    level = {"log_level": "info"}
    assert log == [
        {"event": "call refused", "number": 0, **level},
        {"event": "call refused", "number": 0, **level},
        {"event": "call refused, repeatedly", "kind": "calls", "times": 4, "seconds": 0.01} | level,
        {"event": "call refused, repeatedly", "kind": "calls", "times": 1, "seconds": 0.01} | level,
    ]


async def test_after_a_quiet_while_a_refusal_is_logged_at_once_again() -> None:
    with capture_logs() as log:
        repeats = Repeats(seconds=0.001)
        repeats.info("call refused", "calls")
        await until_async(lambda: not repeats._counts)
        repeats.info("call refused", "calls")
    assert [line["event"] for line in log] == ["call refused"] * 2


async def test_a_call_beyond_a_limit_is_told_when_to_come_back_in_its_metadata() -> None:
    desk = Desk(refusal_seconds=0)
    code, sentence, metadata = await desk.end(too_many())
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert sentence == "too many calls from this address: come back in 3 s"
    assert metadata == {"retry-after": "3"}
    assert await desk.end(malformed("no JSON")) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "no JSON",
        {},
    )


async def test_only_so_many_refusals_wait_and_further_ones_are_sent_at_once() -> None:
    desk = Desk(refusals_held=2, refusal_seconds=3_600)
    for _ in range(2):  # those that are over make room for as many
        waiting = [asyncio.create_task(desk.refusals.hold()) for _ in range(2)]
        await asyncio.sleep(0)
        async with asyncio.timeout(PATIENCE):
            assert not await desk.refusals.hold()
        assert not any(task.done() for task in waiting)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


async def test_a_connection_whose_refusals_can_wait_is_not_cut() -> None:
    desk = Desk(refusals_a_connection=1, refusal_seconds=0)
    for _ in range(5):
        await desk.end(too_many())
    assert desk.to_cut == []


async def test_where_none_can_wait_a_connection_is_cut_after_so_many_refusals() -> None:
    desk = Desk(refusals_a_connection=3, refusals_held=0)
    for _ in range(3):
        await desk.end(too_many())
        await desk.end(malformed("costs nothing"))
    assert desk.to_cut == []
    await desk.end(too_many())
    assert desk.to_cut == [PEER]


async def test_of_a_suspected_address_the_first_refusal_that_cannot_wait_cuts() -> None:
    desk = Desk(refusals_held=0)
    desk.connections._suspected.append((desk.time + 30, "192.0.2.7"))
    await desk.end(malformed("is no refusal for a limit"))
    assert desk.to_cut == []
    await desk.end(too_many())
    assert desk.to_cut == [PEER]


@pytest.mark.parametrize("seconds", [0.2, 1.0])
def test_nobody_is_told_to_come_back_at_once(seconds: float) -> None:
    assert too_many(seconds).seconds == 1
