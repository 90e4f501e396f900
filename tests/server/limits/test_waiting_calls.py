"""No peer keeps a call by sending no request, or by not taking what it was told."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import grpc
import pytest

from arena.server.limits.channel_options import OPTIONS
from arena.server.limits.count_waiting import CountWaiting
from arena.server.limits.gate import Gate
from arena.server.limits.limits import Limits
from arena.server.limits.waiting_calls import HURRIED_SECONDS, MANY, WaitingCalls
from arena.server.requests.errors import internal_error
from arena.server.watching.spectator_service import SpectatorService
from arena.server.watching.spectators import Spectators
from benchmarks.referee_load.frames import (
    DATA,
    END_STREAM,
    PREFACE,
    SETTINGS,
    bots_first_frames,
    frame,
)
from tests.bots import PATIENCE
from tests.fakes import HandTimer
from tests.service_calls import Meter
from tests.waiting import until_async

PEER = "ipv4:192.0.2.7:50123"
SECONDS: Final = Limits().waiting_seconds


class Desk:
    """Waiting calls at a time that the test sets."""

    def __init__(self) -> None:
        self.timer = HandTimer()
        self.cut: list[str] = []
        self.waiting = WaitingCalls(Limits(), self.cut.append, self.timer.now)

    async def call(self, peer: str = PEER) -> asyncio.Task[None]:
        """The task of another call, which waits for its peer until it is cancelled."""

        async def served() -> None:
            self.waiting.add(peer)
            self.waiting.add(peer)
            await asyncio.Event().wait()

        task = asyncio.create_task(served())
        await asyncio.sleep(0)
        return task

    def cut_after(self, seconds: float) -> list[str]:
        """Whom a look cuts after so many seconds."""
        self.timer.turn(seconds)
        self.cut.clear()
        self.waiting.look()
        return list(self.cut)


async def ended(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_whoever_lets_a_call_wait_is_cut_again_and_again_until_it_ends() -> None:
    desk = Desk()
    first, taken = await desk.call(), await desk.call("ipv4:192.0.2.8:1")
    assert desk.cut_after(SECONDS - 1) == []
    second = await desk.call("ipv4:192.0.2.9:1")
    await ended(taken)
    assert desk.cut_after(1) == [PEER]
    assert desk.cut_after(0) == []
    # A bot played over the first connection, so it was not cut.
    assert desk.cut_after(SECONDS) == ["ipv4:192.0.2.9:1", PEER]
    await ended(first, second)
    assert len(desk.waiting) == 0
    assert desk.cut_after(SECONDS) == []


async def test_a_call_whose_request_has_come_waits_no_more_until_it_is_over() -> None:
    desk = Desk()
    over = asyncio.Event()

    async def served() -> None:
        desk.waiting.add(PEER)
        desk.waiting.remove()
        await over.wait()
        desk.waiting.add(PEER)
        await asyncio.Event().wait()

    task = asyncio.create_task(served())
    await asyncio.sleep(0)
    assert desk.cut_after(SECONDS) == []
    over.set()
    await asyncio.sleep(0)
    assert desk.cut_after(0) == []
    assert desk.cut_after(SECONDS) == [PEER]
    await ended(task)


async def test_while_many_calls_wait_each_may_do_so_for_seconds() -> None:
    desk = Desk()
    calls = [await desk.call() for _ in range(MANY)]
    assert desk.cut_after(HURRIED_SECONDS) == []
    calls.append(await desk.call("ipv4:192.0.2.8:1"))
    assert desk.cut_after(0) == [PEER] * MANY
    assert desk.cut_after(HURRIED_SECONDS) == ["ipv4:192.0.2.8:1"] + [PEER] * MANY
    await ended(*calls)


# A referee, and a client that sends what it likes.

_OPENING = bots_first_frames("token")
HEADERS_ONLY: Final = _OPENING[: 9 + int.from_bytes(_OPENING[:3])]
NO_WINDOW: Final = frame(SETTINGS, 0, 0, (4).to_bytes(2) + (0).to_bytes(4))
EMPTY_REQUEST: Final = frame(DATA, END_STREAM, 1, bytes(5))
END_WITHOUT_REQUEST: Final = frame(DATA, END_STREAM, 1, b"")

Serve = Callable[[Any, Any], Awaitable[Any]]


class Referee:
    """A referee that serves one call, at a time that the test sets."""

    def __init__(self) -> None:
        self.timer = HandTimer()
        self.gate = Gate(Limits(), Meter(), self.timer.now)
        self.waiting = self.gate.connections.waiting
        self.port = 0

    @asynccontextmanager
    async def serving(self, handler: "grpc.RpcMethodHandler[Any, Any]") -> AsyncIterator["Referee"]:
        server = grpc.aio.server(interceptors=[CountWaiting(self.gate)], options=OPTIONS)
        play = {"Play": handler}
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("arena.v1.RefereeService", play),)
        )
        self.port = self.gate.connections.port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        watching = asyncio.create_task(self.gate.connections.watch())
        try:
            async with asyncio.timeout(PATIENCE):
                yield self
        finally:
            watching.cancel()
            await server.stop(None)

    @asynccontextmanager
    async def called(self, *frames: bytes) -> AsyncIterator[asyncio.StreamReader]:
        """A call of which the client sends these frames; what comes back can be read."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(PREFACE + b"".join(frames))
        try:
            yield reader
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def counts(self, calls: int) -> None:
        """Wait until so many calls wait."""
        await until_async(lambda: len(self.waiting) == calls)


def unary(answer: Serve) -> "grpc.RpcMethodHandler[Any, Any]":
    return grpc.unary_unary_rpc_method_handler(answer)


async def echo(request: bytes, _context: Any) -> bytes:
    return request or b"an answer"


only_linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only Linux lists the sockets of a process"
)


@only_linux
@pytest.mark.parametrize(
    "frames", [(HEADERS_ONLY,), (NO_WINDOW, HEADERS_ONLY, EMPTY_REQUEST)], ids=["silent", "deaf"]
)
async def test_a_client_without_a_request_or_a_window_is_cut(frames: tuple[bytes, ...]) -> None:
    async with Referee().serving(unary(echo)) as referee, referee.called(*frames) as reader:
        await referee.counts(1)
        assert referee.gate.connections.cuts == 0
        referee.timer.turn(SECONDS)
        with suppress(ConnectionError):
            while await reader.read(4_096):
                pass
        await referee.counts(0)
        assert referee.gate.connections.cuts == 1


async def test_calls_are_answered_and_counted_no_more() -> None:
    async with Referee().serving(unary(echo)) as referee:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{referee.port}") as channel:
            call: Any = channel.unary_unary("/arena.v1.RefereeService/Play")
            assert await call(b"hello") == b"hello"
        await referee.counts(0)


async def test_a_call_that_ends_without_a_request_is_refused() -> None:
    served = asyncio.Event()

    async def serve(_request: bytes, _context: Any) -> bytes:
        served.set()
        return b""

    frames = HEADERS_ONLY, END_WITHOUT_REQUEST
    async with Referee().serving(unary(serve)) as referee, referee.called(*frames) as reader:
        said = b""
        while b"the call brings no request" not in said:
            said += await reader.read(4_096)
        await referee.counts(0)
        assert not served.is_set()


@only_linux
async def test_a_spectator_that_takes_nothing_is_cut_when_its_stream_has_ended() -> None:
    referee = Referee()
    spectators = Spectators(list, referee.timer)
    nothing: Any = None
    service = SpectatorService(spectators, referee.gate, referee.timer, nothing)
    frames = NO_WINDOW, HEADERS_ONLY, EMPTY_REQUEST
    async with referee.serving(service.handlers["Watch"]), referee.called(*frames):
        await until_async(lambda: len(spectators) == 1)
        assert len(referee.waiting) == 0
        service.close_all(internal_error)
        await referee.counts(1)
        referee.timer.turn(SECONDS)
        await until_async(lambda: referee.gate.connections.cuts == 1)
