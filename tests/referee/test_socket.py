"""Bots without a network play over the referee's Unix socket, and nothing else is served there."""

import asyncio
import socket
import sys
from pathlib import Path

import grpc
import pytest

from arena.referee.limits import Limits
from arena.v1 import registry_pb2
from arena.v1.registry_pb2_grpc import RegistryServiceStub
from tests.bots import Peer
from tests.referee.scene import opened, playing
from tests.referee.test_connections import until_cut

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="bots are hosted on Linux"
)


async def test_bots_play_over_the_socket(database: str, tmp_path: Path) -> None:
    path = tmp_path / "referee.sock"
    async with opened(database, socket=path) as scene:
        peers = [Peer(f"unix:{path}", await scene.token(name)) for name in ("ann", "bob")]
        async with playing(peers) as company:
            await company.go_on(4)
        assert await scene.faults("ann") == await scene.faults("bob") == 0
    assert not path.exists()


async def test_the_socket_serves_no_calls_but_those_of_a_playing_bot(
    database: str, tmp_path: Path
) -> None:
    path = tmp_path / "referee.sock"
    request = registry_pb2.ListMatchesRequest()
    async with opened(database, socket=path), grpc.aio.insecure_channel(f"unix:{path}") as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await RegistryServiceStub(channel).ListMatches(request)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_wrong_tokens_over_the_socket_hinder_no_known_bot(
    database: str, tmp_path: Path
) -> None:
    path = tmp_path / "referee.sock"
    limits = Limits(failures_burst=3, refusal_seconds=0.01)
    async with opened(database, limits=limits, socket=path) as scene:
        peers = [Peer(f"unix:{path}", await scene.token(name)) for name in ("ann", "bob")]
        async with playing(peers) as company:
            codes = []
            for number in range(6):
                async with Peer(f"unix:{path}", f"wrong{number}") as guesser:
                    codes.append((await guesser.status())[0])
            assert codes[-1] is grpc.StatusCode.RESOURCE_EXHAUSTED
            await company.go_on(4)
        async with Peer(f"unix:{path}", await scene.token("ann")) as again:
            await again.greet()


async def test_of_too_many_connections_of_a_process_the_oldest_are_cut(
    database: str, tmp_path: Path
) -> None:
    path = tmp_path / "referee.sock"
    async with opened(database, limits=Limits(connections_a_process=5), socket=path) as scene:
        lines = [socket.socket(socket.AF_UNIX) for _ in range(12)]
        try:
            for line in lines:
                line.setblocking(False)
                await asyncio.get_running_loop().sock_connect(line, str(path))
            await until_cut(lines, 7)
        finally:
            for line in lines:
                line.close()
        peers = [await scene.peer(name) for name in ("ann", "bob")]
        async with playing(peers) as company:
            await company.go_on(2)
