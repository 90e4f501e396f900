"""gRPC's reflection answers tools, within the limits of other calls and without a traceback."""

from dataclasses import replace
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health
from grpc_reflection.v1alpha import reflection, reflection_pb2, reflection_pb2_grpc

from arena.server.limits.reflection import MOST_QUESTION_BYTES, MOST_QUESTIONS, ReflectionService
from tests.scene import Scene, opened
from tests.server.limits.test_gate import EXHAUSTED, QUICK
from tests.service_calls import own_channel

SERVICES = reflection_pb2.ServerReflectionRequest(list_services="")
ENDLESS = replace(QUICK, calls_burst=1_000)


async def ask(line: grpc.aio.Channel, *questions: Any) -> tuple[int, grpc.StatusCode, str]:
    """How many answers came to questions on one stream, and how it ended."""
    call = reflection_pb2_grpc.ServerReflectionStub(line).ServerReflectionInfo(iter(questions))
    answers = 0
    try:
        async for _ in call:
            answers += 1
    except grpc.aio.AioRpcError as error:
        return answers, error.code(), error.details() or ""
    return answers, await call.code(), ""


async def test_each_question_counts_as_a_call_of_its_address(database: str) -> None:
    limits = replace(QUICK, calls_burst=10, calls_per_second=0.01)
    async with opened(database, limits=limits) as scene, own_channel(scene.port) as line:
        answers, code, why = await ask(line, *[SERVICES] * 20)
        # The stream is a call, too.
        assert (answers, code) == (9, EXHAUSTED)
        assert "too many calls from this address: come back in " in why
        answers, code, _ = await ask(line, SERVICES)
        assert (answers, code) == (0, EXHAUSTED)


@pytest.mark.slow
async def test_a_stream_has_only_so_many_questions(database: str) -> None:
    async with opened(database, limits=ENDLESS) as scene, own_channel(scene.port) as line:
        answers, code, why = await ask(line, *[SERVICES] * (MOST_QUESTIONS + 5))
    assert (answers, code) == (MOST_QUESTIONS, EXHAUSTED)
    assert "open another" in why


async def test_an_address_has_only_so_many_streams_open(database: str) -> None:
    limits = replace(QUICK, reads_an_address=2)
    async with opened(database, limits=limits) as scene, own_channel(scene.port) as line:
        stub = reflection_pb2_grpc.ServerReflectionStub(line)
        open_streams = [stub.ServerReflectionInfo() for _ in range(2)]
        for call in open_streams:
            await call.write(SERVICES)
            await call.read()
        assert (await ask(line, SERVICES))[:2] == (0, EXHAUSTED)
        for call in open_streams:
            await call.done_writing()
            assert await call.code() is grpc.StatusCode.OK
        assert (await ask(line, SERVICES))[:2] == (1, grpc.StatusCode.OK)


async def test_a_stream_on_which_nothing_is_asked_ends(scene: Scene) -> None:
    server = grpc.aio.server()
    service = ReflectionService([health.SERVICE_NAME], scene.arena.gate, seconds=0.05)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(reflection.SERVICE_NAME, service.handlers),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with own_channel(port) as line:
        call = reflection_pb2_grpc.ServerReflectionStub(line).ServerReflectionInfo()
        assert await call.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    await server.stop(None)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xff\xff\xff", "are no grpc.reflection.v1alpha.ServerReflectionRequest"),
        (bytes(MOST_QUESTION_BYTES + 1), "at most 1024 bytes"),
    ],
    ids=["garbage", "long"],
)
async def test_bytes_that_are_no_question_are_refused_in_a_sentence(
    scene: Scene, data: bytes, words: str
) -> None:
    async with own_channel(scene.port) as line:
        call = line.stream_stream(f"/{reflection.SERVICE_NAME}/ServerReflectionInfo")()
        await call.write(data)
        assert await call.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert words in (await call.details() or "")


async def test_garbage_for_watching_the_health_is_refused_in_a_sentence(scene: Scene) -> None:
    async with own_channel(scene.port) as line:
        call = line.unary_stream(f"/{health.SERVICE_NAME}/Watch")(b"\xff\xff\xff")
        assert await call.code() is grpc.StatusCode.INVALID_ARGUMENT
