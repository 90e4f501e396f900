"""Bots without a network play over the referee's Unix socket, and nothing else is served there."""

import asyncio
import socket
import sys
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import monotonic

import grpc
import pytest

from arena.server.limits.limits import Limits
from arena.v1 import registry_pb2
from arena.v1.registry_pb2_grpc import RegistryServiceStub
from tests.bots import PATIENCE, Peer
from tests.scene import opened, playing
from tests.server.limits.test_connections import until_cut
from tests.service_calls import own_channel, refused

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="bots are hosted on Linux"
)


@pytest.mark.slow
async def test_bots_play_over_the_socket(database: str, tmp_path: Path) -> None:
    path = tmp_path / "referee.sock"
    async with opened(database, socket=path) as scene:
        peers = [Peer(f"unix:{path}", await scene.shift_token(name)) for name in ("ann", "bob")]
        async with playing(peers) as company:
            await company.go_on(4)
        assert await scene.faults("ann") == await scene.faults("bob") == 0
    assert not path.exists()


async def test_the_socket_serves_no_calls_but_those_of_a_playing_bot(
    database: str, tmp_path: Path
) -> None:
    path = tmp_path / "referee.sock"
    request = registry_pb2.ListMatchesRequest()
    async with opened(database, socket=path), own_channel(f"unix:{path}") as line:
        code, _ = await refused(RegistryServiceStub(line).ListMatches(request))
    assert code == "UNIMPLEMENTED"


@pytest.mark.slow
async def test_wrong_tokens_over_the_socket_hinder_no_known_bot(
    database: str, tmp_path: Path
) -> None:
    path = tmp_path / "referee.sock"
    limits = Limits(failures_burst=3, refusal_seconds=0.01)
    async with opened(database, limits=limits, socket=path) as scene:
        tokens = [await scene.shift_token(name) for name in ("ann", "bob")]
        peers = [Peer(f"unix:{path}", token) for token in tokens]
        async with playing(peers) as company:
            codes = []
            for number in range(6):
                async with Peer(f"unix:{path}", f"arena_shift_wrong{number}") as guesser:
                    codes.append((await guesser.status())[0])
            assert codes[-1] is grpc.StatusCode.RESOURCE_EXHAUSTED
            await company.go_on(4)
        async with Peer(f"unix:{path}", tokens[0]) as again:
            await again.greet()


@pytest.mark.slow
async def test_over_the_socket_only_the_tokens_of_shifts_play(
    database: str, tmp_path: Path
) -> None:
    path = tmp_path / "referee.sock"
    async with opened(database, socket=path) as scene:
        own, shift = await scene.token("ann"), await scene.shift_token("bob")
        async with Peer(f"unix:{path}", own) as peer:
            assert await peer.status() == (
                grpc.StatusCode.UNAUTHENTICATED,
                "a hosted bot plays with the token of its shift",
            )
        for place, token in ((scene.port, own), (f"unix:{path}", shift), (scene.port, shift)):
            async with Peer(place, token) as peer:
                await peer.greet()


FLOODER = """
import socket, sys, threading
from benchmarks.referee_load.frames import FLOODS, pour_over_one

def connect():
    line = socket.socket(socket.AF_UNIX)
    line.connect(sys.argv[1])
    return line

def flood(kind):
    while True:
        try:
            pour_over_one(connect, FLOODS[kind])
        except TimeoutError:
            pass
        except OSError:
            break
    print(kind, flush=True)

for kind in sys.argv[2:]:
    threading.Thread(target=flood, args=(kind,)).start()
"""


@pytest.mark.slow
async def test_floods_of_frames_are_cut_and_hold_up_nobody(database: str, tmp_path: Path) -> None:
    path = tmp_path / "referee.sock"
    kinds = ["ping", "settings", "window updates", "reset", "undecodable", "headers"]
    limits = Limits(strangers_bytes_burst=100_000)
    async with opened(database, limits=limits, socket=path) as scene, asyncio.timeout(PATIENCE):
        registry, seconds = RegistryServiceStub(scene.channel), []
        flooder = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", FLOODER, path, *kinds), stdout=asyncio.subprocess.PIPE
        )
        assert flooder.stdout is not None
        try:
            cut = asyncio.create_task(flooder.stdout.read())
            while not cut.done():
                begun = monotonic()
                await registry.GetSigningKey(registry_pb2.GetSigningKeyRequest())
                seconds.append(monotonic() - begun)
                await asyncio.wait([cut], timeout=0.1)
            assert sorted((await cut).decode().splitlines()) == sorted(kinds)
        finally:
            with suppress(ProcessLookupError):
                flooder.kill()
            await flooder.wait()
    # Some milliseconds, and tens of them on a machine that does much else.
    assert median(seconds) < 1.0


@pytest.mark.slow
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
