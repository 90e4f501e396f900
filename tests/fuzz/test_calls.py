"""The same oddities over real gRPC, with a real database, beside a pair that plays well."""

import asyncio
from contextlib import suppress
from random import Random
from typing import Any

import grpc
import pytest
from google.protobuf.message_factory import GetMessageClass

from arena.v1 import challenge_pb2, owner_pb2, referee_pb2, registry_pb2
from tests.bots import PATIENCE
from tests.fuzz.odd_messages import arbitrary, damaged
from tests.scene import Scene, good_pair
from tests.server.conftest import quiet, scene  # noqa: F401  # fixtures
from tests.service_calls import bearing

NAMED = {
    grpc.StatusCode.OK,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.UNIMPLEMENTED,  # signing in where there is no identity provider
}
"""What docs/protocol.md allows while referee and database are well. Never INTERNAL or UNKNOWN."""
CALLS = 60
STREAMS = 20
_METHODS = [
    *registry_pb2.DESCRIPTOR.services_by_name["RegistryService"].methods,
    *owner_pb2.DESCRIPTOR.services_by_name["OwnerService"].methods,
    *challenge_pb2.DESCRIPTOR.services_by_name["ChallengeService"].methods,
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
async def test_odd_calls_and_streams_are_answered_by_name_and_disturb_nobody(
    scene: Scene,  # noqa: F811
    seed: int,
) -> None:
    random = Random(seed)
    token, key = await scene.token("odd"), await scene.key("odd one")
    async with good_pair(scene) as pair:
        for _ in range(CALLS):
            await _call(random, scene.channel, random.choice((token, key)))
        for _ in range(STREAMS):
            await _stream(random, scene.channel, token)
        await pair.go_on()


async def _call(random: Random, channel: grpc.aio.Channel, token: str) -> None:
    method = random.choice(_METHODS)
    request: Any = GetMessageClass(method.input_type)()
    data = arbitrary(random, request).SerializeToString()
    if random.random() < 0.5:
        data = damaged(random, data)
    call = channel.unary_unary(f"/{method.containing_service.full_name}/{method.name}")
    metadata = bearing(token) if random.random() < 0.5 else ()
    try:
        await call(data, timeout=PATIENCE, metadata=metadata)
    except grpc.aio.AioRpcError as error:
        if error.code() not in NAMED or not error.details():
            raise


async def _stream(random: Random, channel: grpc.aio.Channel, token: str) -> None:
    stream: Any = channel.stream_stream("/arena.v1.RefereeService/Play")(metadata=bearing(token))
    try:
        hello = referee_pb2.Hello(protocol_version=1, games=["bluff"])
        await stream.write(referee_pb2.PlayRequest(hello=hello).SerializeToString())
        for _ in range(random.randint(1, 5)):
            data = arbitrary(random, referee_pb2.PlayRequest()).SerializeToString()
            await stream.write(damaged(random, data) if random.random() < 0.5 else data)
        await stream.done_writing()
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
        pass  # ended already: the status says why
    async with asyncio.timeout(PATIENCE):
        with suppress(grpc.aio.AioRpcError):
            while await stream.read() is not grpc.aio.EOF:
                pass
        assert await stream.code() in NAMED
