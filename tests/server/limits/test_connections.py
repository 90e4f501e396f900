"""Connections without a known bot take no more than their part."""

import asyncio
import resource
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import grpc
import pytest
from structlog.testing import capture_logs

from arena.server.limits.connections import (
    FILES_A_LOOK,
    MOST_FAILURES,
    Connections,
    raise_file_limit,
)
from arena.server.limits.limits import Limits
from arena.v1 import registry_pb2 as pb
from arena.v1.registry_pb2_grpc import RegistryServiceStub
from benchmarks.referee_load.frames import FLOODS, PREFACE, bots_first_frames
from tests.bots import PATIENCE
from tests.scene import good_pair, opened
from tests.server.limits.test_gate import failed
from tests.service_calls import own_channel
from tests.waiting import until_async

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only Linux lists the sockets of a process"
)


@contextmanager
def idle(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Connections on which nothing is said."""
    lines = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
    for line in lines:
        line.setblocking(False)
    try:
        yield lines
    finally:
        for line in lines:
            line.close()


def cut(line: socket.socket) -> bool:
    """Whether the other side has closed it."""
    with suppress(BlockingIOError):
        try:
            while line.recv(4096):
                pass
        except ConnectionError:
            pass
        return True
    return False


async def until_cut(lines: list[socket.socket], count: int) -> None:
    await until_async(lambda: sum(map(cut, lines)) >= count, pause=0.05)


@pytest.mark.slow
async def test_of_too_many_connections_of_an_address_the_oldest_are_cut(database: str) -> None:
    limits = Limits(connections_an_address=10)
    async with opened(database, limits=limits) as scene, good_pair(scene):
        with idle(scene.port, 30) as lines:
            await until_cut(lines, 20)
            assert [cut(line) for line in lines[-5:]] == [False] * 5


@pytest.mark.slow
async def test_connections_of_known_bots_are_not_counted(database: str) -> None:
    limits = Limits(connections_an_address=2)  # both of the pair are unknown until their hello
    async with opened(database, limits=limits) as scene, good_pair(scene):
        with idle(scene.port, 6) as lines:
            await until_cut(lines, 4)


async def send_pings_until_cut(port: int, first_frames: bytes = b"") -> None:
    send = asyncio.get_running_loop().sock_sendall
    with idle(port, 1) as lines, suppress(ConnectionError):
        async with asyncio.timeout(PATIENCE):
            await send(lines[0], PREFACE + first_frames)
            while True:
                await send(lines[0], FLOODS["ping"](0))
                await asyncio.sleep(0.01)


@pytest.mark.slow
async def test_a_connection_that_sends_more_than_a_stranger_needs_is_cut(database: str) -> None:
    limits = Limits(strangers_bytes_burst=100_000)
    async with opened(database, limits=limits) as scene, good_pair(scene):
        await send_pings_until_cut(scene.port)


@pytest.mark.slow
async def test_a_known_connection_that_sends_more_than_its_streams_may_is_cut(
    database: str,
) -> None:
    limits = Limits(bytes_burst=50_000, bytes_per_second=50_000)
    async with opened(database, limits=limits) as scene, good_pair(scene):
        token = await scene.token("pinger")
        await send_pings_until_cut(scene.port, bots_first_frames(token))


@pytest.mark.slow
async def test_a_connection_that_goes_on_after_its_refusals_is_cut(database: str) -> None:
    limits = Limits(calls_burst=1, calls_per_second=0.01, refusals_a_connection=3, refusals_held=0)
    codes = set()
    async with (
        opened(database, limits=limits) as scene,
        good_pair(scene),
        own_channel(scene.port) as line,
        asyncio.timeout(PATIENCE),
    ):
        registry = RegistryServiceStub(line)
        await registry.GetSigningKey(pb.GetSigningKeyRequest())
        while grpc.StatusCode.UNAVAILABLE not in codes:
            error = await failed(registry.GetSigningKey(pb.GetSigningKeyRequest()))
            codes.add(error.code())
    assert grpc.StatusCode.RESOURCE_EXHAUSTED in codes


async def test_a_look_takes_a_moment_however_many_files_are_open() -> None:
    limits = Limits(connections_an_address=100_000)
    connections = Connections(limits, time.monotonic)
    with socket.create_server(("127.0.0.1", 0), backlog=4_096) as server:
        connections.port, connections.files = server.getsockname()[1], raise_file_limit()
        with idle(connections.port, 1_500) as lines:
            accepted = [server.accept()[0] for _ in lines]
            while not connections.look():
                pass
            looks, longest = 0, 0.0
            over = False
            while not over:
                began = time.thread_time()
                over = connections.look()
                longest = max(longest, time.thread_time() - began)
                looks += 1
            assert looks > 3_000 / FILES_A_LOOK
            assert longest < 0.05  # about a millisecond, on a quiet machine
            connections.cut(f"ipv4:127.0.0.1:{lines[700].getsockname()[1]}")
            connections.look()
            assert [number for number, line in enumerate(lines) if cut(line)] == [700]
            for line in accepted:
                line.close()


async def test_connections_that_closed_by_themselves_cost_the_others_none() -> None:
    connections = Connections(Limits(connections_an_address=20), time.monotonic)
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        connections.port, connections.files = server.getsockname()[1], 10_000
        for _ in range(5):
            with idle(connections.port, 15) as lines:
                accepted = [server.accept()[0] for _ in lines]
                while not connections.look():
                    pass
                assert not any(map(cut, lines))
            for line in accepted:
                line.close()
    assert connections.cuts == 0


@pytest.mark.slow
async def test_when_strangers_hold_all_open_files_a_known_bot_still_gets_in(database: str) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limits = replace(Limits(), connections_an_address=100_000)
    async with opened(database, limits=limits) as scene:
        token = await scene.token("late")
        assert token
        connections = scene.arena.gate.connections
        # As with 120 open files: half of them are for strangers.
        connections.files = 120
        with idle(scene.port, 100) as lines:
            await until_cut(lines, 40)
            async with good_pair(scene):
                pass
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] == hard
    assert soft <= raise_file_limit()


class Blind(Connections):
    """Connections in a process that cannot list its files."""

    looks = 0

    def look(self) -> bool:
        self.looks += 1
        raise PermissionError("/proc/self/fd")


@pytest.mark.slow
async def test_where_no_look_succeeds_the_watch_says_so_and_ends() -> None:
    blind = Blind(Limits(), time.monotonic)
    blind.port = 1
    with capture_logs() as log:
        async with asyncio.timeout(PATIENCE):
            await blind.watch()
    assert blind.looks == MOST_FAILURES
    assert [line["event"] for line in log[-2:]] == [
        "connections not looked at",
        "connections are watched no more: put a proxy in front (docs/expose-an-arena.md)",
    ]
