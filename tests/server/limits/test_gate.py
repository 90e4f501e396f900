"""Guests that take too much are refused, told when to come back, and harm nobody."""

import asyncio
from dataclasses import replace
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.server.limits.gate import LEAST_MESSAGE_BYTES, ByteCount
from arena.server.limits.limits import LimitError, Limits
from arena.v1 import referee_pb2
from arena.v1 import registry_pb2 as pb
from arena.v1.referee_pb2_grpc import RefereeServiceStub
from arena.v1.registry_pb2_grpc import RegistryServiceStub
from tests.bots import PATIENCE, Peer
from tests.scene import Scene, good_pair, opened
from tests.service_calls import bearing, own_channel

QUICK = Limits(refusal_seconds=0.01)
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED


async def failed(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        async with asyncio.timeout(PATIENCE):
            await call
    return error.value


async def refused(scene: Scene, token: str) -> tuple[grpc.StatusCode, str]:
    async with Peer(scene.port, token) as peer:
        return await peer.status()


@pytest.mark.slow
async def test_an_address_may_guess_only_so_often_and_its_known_bots_come_in(
    database: str,
) -> None:
    limits = replace(QUICK, failures_burst=3)
    async with opened(database, limits=limits) as scene, good_pair(scene):
        async with own_channel(scene.port) as line:
            registry = RegistryServiceStub(line)
            for guess in range(3):
                asked = pb.RegisterBotRequest(bot="b", owner="o")
                error = await failed(registry.RegisterBot(asked, metadata=bearing(f"{guess}")))
                assert error.code() is grpc.StatusCode.UNAUTHENTICATED
            error = await failed(registry.RegisterBot(asked, metadata=bearing("3")))
            assert error.code() is EXHAUSTED
            assert "too many wrong tokens from this address: come back in " in error.details()
            (seconds,) = [v for k, v in error.trailing_metadata() if k == "retry-after"]
            assert 1 <= int(seconds) <= 5
        code, _ = await refused(scene, "a wrong token")
        assert code is EXHAUSTED
        async with await scene.peer("good-one", instance="again") as peer:
            assert (await peer.greet()).entrant.bot == "good-one"


async def test_a_valid_token_and_an_owners_key_cost_nothing(database: str) -> None:
    limits = replace(QUICK, failures_burst=1)
    async with opened(database, limits=limits) as scene, own_channel(scene.port) as line:
        registry = RegistryServiceStub(line)
        for bot in ("one", "two", "three"):
            key = await scene.key(f"owner-of-{bot}")
            asked = pb.RegisterBotRequest(bot=bot)
            token = (await registry.RegisterBot(asked, metadata=bearing(key))).token
            async with Peer(scene.port, token) as peer:
                assert (await peer.greet()).entrant.bot == bot


async def test_a_replaced_token_is_a_wrong_one_again(database: str) -> None:
    async with opened(database, limits=replace(QUICK, failures_burst=1)) as scene:
        old = await scene.token("rotated")
        async with Peer(scene.port, old) as peer:
            await peer.greet()
        await scene.arena.store.rotate_token("rotated")
        codes = [(await refused(scene, old))[0] for _ in range(3)]
    assert codes == [grpc.StatusCode.UNAUTHENTICATED] * 2 + [EXHAUSTED]


async def test_calls_beyond_the_limit_of_an_address_wait_for_their_refusal(database: str) -> None:
    limits = Limits(calls_burst=5, calls_per_second=0.1, refusal_seconds=0.3)
    async with opened(database, limits=limits) as scene, own_channel(scene.port) as line:
        registry = RegistryServiceStub(line)
        for _ in range(5):
            await registry.GetSigningKey(pb.GetSigningKeyRequest())
        began = asyncio.get_running_loop().time()
        error = await failed(registry.GetSigningKey(pb.GetSigningKeyRequest()))
        # A wait is between half and one and a half of what the limit says.
    assert asyncio.get_running_loop().time() - began >= 0.15
    assert error.code() is EXHAUSTED


@pytest.mark.slow
async def test_a_token_opens_only_so_many_streams(database: str) -> None:
    limits = replace(QUICK, streams_burst=4)
    codes = set()
    async with opened(database, limits=limits) as scene, good_pair(scene):
        token = await scene.token("restless")
        for _ in range(7):
            async with Peer(scene.port, token) as peer:
                try:
                    await peer.greet()
                except (EOFError, grpc.aio.AioRpcError):
                    code, why = await peer.status()
                    codes.add((code, why.partition(":")[0]))
    assert codes == {(EXHAUSTED, "this bot opens too many streams")}


@pytest.mark.slow
async def test_a_token_has_only_so_many_streams_without_a_hello(database: str) -> None:
    limits = replace(QUICK, streams_without_hello=2)
    async with (
        opened(database, limits=limits, hello_seconds=2) as scene,
        own_channel(scene.port) as line,
    ):
        token = await scene.token("silent")
        calls = [RefereeServiceStub(line).Play(metadata=bearing(token)) for _ in range(5)]
        codes = await asyncio.gather(*(call.code() for call in calls))
    assert sorted(code.name for code in codes) == [
        *["DEADLINE_EXCEEDED"] * 2,
        *["RESOURCE_EXHAUSTED"] * 3,
    ]


async def test_a_stream_that_ended_without_a_hello_makes_room_for_the_next(database: str) -> None:
    limits = replace(QUICK, streams_without_hello=1)
    async with opened(database, limits=limits) as scene:
        token = await scene.token("silent")
        codes = []
        for _ in range(2):
            async with Peer(scene.port, token) as peer:
                await peer.call.done_writing()
                codes.append((await peer.status())[0])
    assert codes == [grpc.StatusCode.OK] * 2


@pytest.mark.slow
async def test_a_stream_may_send_only_so_many_bytes(database: str) -> None:
    limits = replace(QUICK, bytes_burst=500_000, bytes_per_second=1)
    async with (
        opened(database, limits=limits) as scene,
        good_pair(scene),
        await scene.peer("chatty") as peer,
    ):
        await peer.greet()
        for _ in range(30):
            await peer.call.write(unknown_fields(20_000))
        code, why = await peer.status()
    assert (code, why) == (EXHAUSTED, "the bot sends too much: come back in 1 s")


async def test_an_empty_message_counts_as_some_bytes() -> None:
    limits = Limits(bytes_burst=3 * LEAST_MESSAGE_BYTES, bytes_per_second=1)
    count = ByteCount(limits, lambda: 0.0)
    for size in (0, 1, LEAST_MESSAGE_BYTES):
        count(size)
    with pytest.raises(LimitError):
        count(0)


def unknown_fields(size: int) -> referee_pb2.PlayRequest:
    """A message with a field that the protocol does not know, and so ignores."""
    length = bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14])
    return referee_pb2.PlayRequest.FromString(b"\xfa\x3f" + length + bytes(size))


async def test_a_bot_gets_only_so_many_versions_a_day_and_the_operator_any_number(
    database: str,
) -> None:
    async with opened(database, limits=replace(QUICK, versions_per_day=3)) as scene:
        token = await scene.token("bot")
        async with own_channel(scene.port) as line:
            registry = RegistryServiceStub(line)

            def version(label: str) -> Any:
                asked = pb.RegisterBotRequest(bot="bot", version=label)
                return registry.RegisterBot(asked, metadata=bearing(token))

            await version("2")
            await version("3")
            error = await failed(version("4"))
        assert error.code() is EXHAUSTED
        assert "bot got 3 versions in the last 24 hours: come back in " in error.details()
        await scene.arena.store.register("bot", "owner-of-bot", "4")


async def test_registrations_are_counted_by_owner_with_the_key_and_with_tokens(
    database: str,
) -> None:
    limits = replace(QUICK, registrations_burst=2, registrations_per_second=0.001)
    async with opened(database, limits=limits) as scene, own_channel(scene.port) as line:
        registry = RegistryServiceStub(line)
        for bot, owner in (("ann1", "ann"), ("ann2", "ann"), ("bob1", "bob")):
            await scene.token(bot, owner)

        def version(bot: str, label: str) -> Any:
            asked = pb.RegisterBotRequest(bot=bot, version=label)
            return registry.RegisterBot(asked, metadata=bearing(scene.tokens[bot]))

        def new(bot: str) -> Any:
            asked = pb.RegisterBotRequest(bot=bot)
            return registry.RegisterBot(asked, metadata=bearing(keys["bob"]))

        store = scene.arena.store
        keys = {owner: await store.owners.reset_key(owner, "operator") for owner in ("ann", "bob")}
        await version("ann1", "2")
        await version("ann2", "2")
        for bot in ("ann1", "ann2"):
            error = await failed(version(bot, "3"))
            assert "too many registrations by ann: come back in " in error.details()
        await version("bob1", "2")
        await new("bob2")
        error = await failed(new("bob3"))
        assert "too many registrations by bob: come back in " in error.details()


async def test_repeated_refusals_are_one_line_of_the_log(scene: Scene) -> None:
    for _ in range(5):
        await refused(scene, "nobody's")
    lines = [line for line in scene.log if line["event"] == "stream refused"]
    assert len(lines) == 1


async def test_who_asks_for_the_health_too_often_waits_and_is_answered(database: str) -> None:
    limits = Limits(calls_burst=2, calls_per_second=0.01, refusal_seconds=0.3)
    async with opened(database, limits=limits) as scene, own_channel(scene.port) as line:
        check = health_pb2_grpc.HealthStub(line).Check
        began = asyncio.get_running_loop().time()
        for _ in range(3):
            answer = await check(health_pb2.HealthCheckRequest())
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        # A wait is between half and one and a half of what the limit says.
    assert asyncio.get_running_loop().time() - began >= 0.15
