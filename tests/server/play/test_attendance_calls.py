"""Whoever runs a bot's program is told whether it is connected, and can let it leave."""

import asyncio
from typing import Any

import pytest

from arena.v1 import attendance_pb2 as pb
from arena.v1.attendance_pb2_grpc import AttendanceServiceStub
from tests.bots import PATIENCE
from tests.scene import Scene, playing
from tests.service_calls import bearing, refused


def attend(scene: Scene, token: str, *, drain: bool = False) -> Any:
    request = pb.AttendRequest(drain=drain)
    return AttendanceServiceStub(scene.channel).Attend(request, metadata=bearing(token))


async def test_the_streams_of_a_token_are_told_as_they_come_and_go(scene: Scene) -> None:
    token = await scene.token("ann")
    call = attend(scene, token)
    assert (await call.read()).streams == 0
    async with await scene.peer("ann") as ann:
        await ann.greet()
        assert (await call.read()).streams == 1
    assert (await call.read()).streams == 0
    call.cancel()


async def test_a_bot_that_is_to_leave_plays_on_until_its_block_is_over(scene: Scene) -> None:
    peers = [await scene.peer(name) for name in ("ann", "bob")]
    async with asyncio.timeout(PATIENCE):
        async with playing(peers[1:]) as company:
            ann = asyncio.create_task(company.play(peers[0]))
            await company.go_on(3)
            leaving = attend(scene, await scene.token("ann"), drain=True)
            assert [answer.streams async for answer in leaving] == [1, 0]
            with pytest.raises(EOFError):
                await ann
        # Nothing of hers runs any more, and whoever comes back is welcome.
        assert await scene.faults("ann") == 0
        async with await scene.peer("ann") as again:
            await again.greet()


async def test_a_stream_that_is_opened_while_its_bot_is_to_leave_is_closed(scene: Scene) -> None:
    token = await scene.token("ann")
    first = await scene.peer("ann")
    await first.greet()
    call = attend(scene, token)
    assert (await call.read()).streams == 1
    async with asyncio.timeout(PATIENCE):
        assert [a.streams async for a in attend(scene, token, drain=True)] == [1, 0]
    assert await attend(scene, token, drain=True).read() == pb.AttendResponse()
    call.cancel()


async def test_a_wrong_token_attends_nobody(scene: Scene) -> None:
    assert (await refused(attend(scene, "wrong").read()))[0] == "UNAUTHENTICATED"


@pytest.mark.slow
async def test_few_calls_attend_a_bot_at_once(scene: Scene) -> None:
    token = await scene.token("ann")
    calls = [attend(scene, token) for _ in range(4)]
    for call in calls:
        await call.read()
    assert (await refused(attend(scene, token).read()))[0] == "RESOURCE_EXHAUSTED"
    for call in calls:
        call.cancel()
