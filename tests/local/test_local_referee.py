"""The referee at home writes no line of its log to standard output, where results are."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import grpc
import pytest
import structlog

from arena.local.programs.local_referee import LocalReferee, only_warnings
from arena.v1 import referee_pb2 as pb
from arena.v1.referee_pb2_grpc import RefereeServiceStub
from tests.service_calls import bearing


async def test_bots_that_leave_at_its_end_leave_no_line_in_the_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    referee = LocalReferee({number: f"bot {number}" for number in range(60)}, lambda: None)
    calls: list[Any] = []
    async with referee.listening() as address:
        channel = grpc.aio.insecure_channel(address)
        for token in referee.tokens.values():
            calls.append(RefereeServiceStub(channel).Play(metadata=bearing(token)))
            hello = pb.Hello(protocol_version=1, games=["bluff"])
            await calls[-1].write(pb.PlayRequest(hello=hello))
            assert (await calls[-1].read()).HasField("welcome")
        for call in calls:
            call.cancel()
    await asyncio.sleep(0.1)  # for what their streams may still have to say
    assert capsys.readouterr().out == ""


async def test_the_end_of_one_of_several_referees_lets_the_others_log_no_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with only_warnings():
        async with AsyncExitStack() as second:
            async with LocalReferee({0: "player 1"}, lambda: None).listening():
                other = LocalReferee({0: "player 1"}, lambda: None)
                await second.enter_async_context(other.listening())
            structlog.get_logger().info("a bot of the second has left")
    assert capsys.readouterr().out == ""
