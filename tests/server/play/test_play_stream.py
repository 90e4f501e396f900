"""However reasons for the end of a stream coincide, the first one is told, and nothing is left."""

import asyncio
from typing import Any, cast

import grpc
import grpc.aio
import pytest

from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.server.limits.refusals import Context
from arena.server.play.lobby import Lobby
from arena.server.play.play_stream import PlayStream
from arena.server.requests.errors import ProtocolError
from arena.v1 import referee_pb2 as pb
from tests.bots import PATIENCE

HELLO = pb.PlayRequest(hello=pb.Hello(protocol_version=1, games=["bluff"]))
BOT = Registered(VersionId(1), Entrant("bot", "1", "owner"), house=False)


class Line:
    """The referee's end of a call, at whose other end a test sits."""

    def __init__(self) -> None:
        self.said: asyncio.Queue[Any] = asyncio.Queue()
        self.begun: asyncio.Queue[bytes] = asyncio.Queue()
        """Messages of which the writing has begun."""
        self.written: list[bytes] = []
        self.may_write = asyncio.Event()
        self.waits = asyncio.Event()
        """Whether the referee has begun to read."""

    def peer(self) -> str:
        return "ipv4:192.0.2.1:1"

    async def send_initial_metadata(self, _metadata: object) -> None:
        pass

    async def read(self) -> Any:
        self.waits.set()
        return await self.said.get()

    async def write(self, message: bytes) -> None:
        self.begun.put_nowait(message)
        await self.may_write.wait()
        self.written.append(message)

    def open(self) -> PlayStream:
        """Within the task that is to be the call's."""
        context, unused = cast(Context, self), cast(Lobby, None)
        nobody = (lambda: None), (lambda _: None), (lambda _: None)
        return PlayStream(context, unused, "token", BOT, *nobody)


def refuse(_stream: PlayStream, _first: pb.PlayRequest) -> None:
    raise reason("refused")


def reason(why: str) -> ProtocolError:
    return ProtocolError(grpc.StatusCode.ABORTED, why)


async def test_an_end_while_the_bot_is_waited_for_is_told_and_the_call_may_go_on() -> None:
    line = Line()
    opened: list[PlayStream] = []

    async def call() -> None:
        opened.append(line.open())
        with pytest.raises(ProtocolError, match="taken over"):
            await opened[0].converse(refuse, PATIENCE)
        await asyncio.sleep(0)  # as when the status is sent

    playing = asyncio.create_task(call())
    await line.waits.wait()
    opened[0].end(reason("taken over"))
    opened[0].end(reason("too late"))
    async with asyncio.timeout(PATIENCE):
        await playing
    assert playing.cancelling() == 0


async def test_an_end_while_a_message_is_handled_comes_before_what_the_message_causes() -> None:
    line = Line()
    line.said.put_nowait(HELLO.SerializeToString())

    def overflow(stream: PlayStream, first: pb.PlayRequest) -> None:
        stream.end(reason("does not read"))
        refuse(stream, first)

    with pytest.raises(ProtocolError, match="does not read"):
        await line.open().converse(overflow, PATIENCE)
    await asyncio.sleep(0)  # is not cancelled


async def test_who_is_gone_in_the_moment_of_the_end_is_told_nothing() -> None:
    line = Line()
    opened: list[PlayStream] = []

    async def call() -> None:
        opened.append(line.open())
        await opened[0].converse(refuse, PATIENCE)

    playing = asyncio.create_task(call())
    await line.waits.wait()
    opened[0].end(reason("taken over"))
    playing.cancel()  # as grpc does
    with pytest.raises(asyncio.CancelledError):
        await playing


async def test_what_is_added_during_a_message_makes_the_next_one() -> None:
    line = Line()
    stream = line.open()
    for part in (b"one", b"two"):
        stream.outbox.add(part)
    async with asyncio.timeout(PATIENCE):
        assert await line.begun.get() == b"onetwo"
        stream.outbox.add(b"three")
        stream.outbox.add(b"four")
        line.may_write.set()
        assert await line.begun.get() == b"threefour"


async def test_what_is_sent_needs_no_task_of_its_own() -> None:
    line = Line()
    before = asyncio.all_tasks()
    stream = line.open()
    stream.outbox.add(b"one")
    async with asyncio.timeout(PATIENCE):
        assert await line.begun.get() == b"one"
        assert asyncio.all_tasks() == before
        line.may_write.set()
        stream.outbox.add(b"two")
        assert await line.begun.get() == b"two"
    assert line.written == [b"one", b"two"]


async def test_of_several_matches_the_turns_of_a_moment_make_one_message() -> None:
    line = Line()
    line.may_write.set()
    stream = line.open()
    stream.outbox.matches = 41
    stream.outbox.add(b"one")
    asyncio.get_running_loop().call_later(0.0001, stream.outbox.add, b"two")
    async with asyncio.timeout(PATIENCE):
        assert await line.begun.get() == b"onetwo"


async def test_no_write_goes_on_beside_the_status() -> None:
    line = Line()
    stream = line.open()
    stream.outbox.add(b"one")
    async with asyncio.timeout(PATIENCE):
        await line.begun.get()
    stream.stop_writing()
    line.may_write.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert line.written == []


async def test_no_write_begins_beside_the_status() -> None:
    line = Line()
    stream = line.open()
    stream.outbox.add(b"one")
    stream.stop_writing()
    await asyncio.sleep(0)
    stream.outbox.add(b"two")
    await asyncio.sleep(0)
    assert line.begun.empty()


async def test_a_write_that_fails_on_our_side_ends_the_stream_and_nothing_follows_it() -> None:
    said = asyncio.Event()

    class Broken(Line):
        async def write(self, message: bytes) -> None:
            await said.wait()
            raise RuntimeError

    line = Broken()

    async def call() -> None:
        stream = line.open()
        stream.outbox.add(b"one")
        await stream.converse(refuse, PATIENCE)

    playing = asyncio.create_task(call())
    await line.waits.wait()
    said.set()
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(ProtocolError) as raised:
            await playing
    assert raised.value.code is grpc.StatusCode.INTERNAL
