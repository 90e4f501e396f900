"""However soon a stream ends after its hello, the bot is told why."""

import asyncio
from contextlib import suppress

import grpc
import pytest

from arena.v1 import referee_pb2 as pb
from arena.v1.referee_pb2_grpc import RefereeServiceStub
from tests.bots import PATIENCE, Peer
from tests.scene import Scene, good_pair
from tests.service_calls import bearing

HELLO = pb.PlayRequest(hello=pb.Hello(protocol_version=1, games=["bluff"]))
TOO_NEW = pb.PlayRequest(hello=pb.Hello(protocol_version=2, games=["bluff"]))
NO_HELLO = pb.PlayRequest(answers=[pb.Answer()])


async def statuses_of_all_but_one(scene: Scene, bot: str) -> list[grpc.StatusCode]:
    """How three of four streams of a bot, opened at once, end; the last one plays a match.

    It joins nothing before: grpc.aio reports INTERNAL for a stream that ends while it writes.
    """
    token = await scene.token(bot)
    open_streams = [Peer(scene.port, token) for _ in range(4)]
    statuses = []
    writing = asyncio.Lock()  # grpc.aio ends a stream that two tasks write to

    async def live(peer: Peer) -> None:
        try:
            await peer.say(hello=pb.Hello(**peer.hello))
            while not peer.ended:
                message = await peer.hear()
                if len(open_streams) == 1:
                    async with writing:
                        await peer.react(message)
        except (EOFError, grpc.aio.AioRpcError):
            statuses.append((await peer.status())[0])
            open_streams.remove(peer)
            if len(open_streams) == 1:
                (last,) = open_streams
                async with writing:
                    for message in list(last.heard):
                        await last.react(message)
        await peer.channel.close()

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*map(live, open_streams))
    return statuses


@pytest.mark.slow
async def test_of_streams_opened_at_once_all_but_one_are_told_that_they_were_taken_over(
    scene: Scene,
) -> None:
    async with good_pair(scene):
        for batch in range(10):
            bots = [f"b{batch}-{number}" for number in range(5)]
            rounds = [statuses_of_all_but_one(scene, bot) for bot in bots]
            for statuses in await asyncio.gather(*rounds):
                assert statuses == [grpc.StatusCode.ABORTED] * 3
    assert "bot gone before its status was sent" not in [line["event"] for line in scene.log]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("requests", "code"),
    [
        ([HELLO], grpc.StatusCode.OK),
        ([HELLO, HELLO], grpc.StatusCode.INVALID_ARGUMENT),
        ([HELLO, pb.PlayRequest(joins=[pb.Join()])], grpc.StatusCode.INVALID_ARGUMENT),
        ([TOO_NEW], grpc.StatusCode.INVALID_ARGUMENT),
        ([TOO_NEW, HELLO], grpc.StatusCode.INVALID_ARGUMENT),
        ([NO_HELLO], grpc.StatusCode.INVALID_ARGUMENT),
        ([], grpc.StatusCode.OK),
    ],
    ids=[
        "hello and goodbye",
        "two hellos",
        "hello and a bad join",
        "a refused hello",
        "a refused hello and a good one",
        "no hello",
        "goodbye",
    ],
)
async def test_what_is_said_in_one_go_is_answered_with_a_status(
    scene: Scene, requests: list[pb.PlayRequest], code: grpc.StatusCode
) -> None:
    metadata = bearing(await scene.token("hasty"))

    def ending() -> grpc.StatusCode:
        # Not grpc.aio: it reports INTERNAL for a stream that ends while it writes.
        call = RefereeServiceStub(channel).Play(iter(requests), metadata=metadata, timeout=PATIENCE)
        with suppress(grpc.RpcError):
            for _ in call:
                pass
        return call.code()

    with grpc.insecure_channel(f"127.0.0.1:{scene.port}") as channel:
        for _ in range(20):
            assert await asyncio.to_thread(ending) is code
