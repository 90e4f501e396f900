"""Calls as no gRPC client makes them leave the referee serving."""

import asyncio
import socket
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from structlog.testing import capture_logs

from arena.server.limits.channel_options import OPTIONS
from arena.server.limits.limits import MAX_METADATA_BYTES
from arena.server.limits.oversized_calls import LINE_BYTES, RefuseOversized
from arena.v1 import registry_pb2
from arena.v1.registry_pb2_grpc import RegistryServiceStub
from benchmarks.referee_load.frames import FIRST_STREAM, FLOODS, PREFACE, oversized_call
from tests.bots import PATIENCE, Peer
from tests.scene import opened
from tests.service_calls import Call, EndedError, Meter, gate, own_channel

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="bots are hosted on Linux"
)

ODD = ["undecodable path", "undecodable", "huge path", "unknown method", "bad timeout", "bad flag"]


def call_oddly(line: socket.socket) -> None:
    """Make some of each kind of odd call."""
    with line:
        line.settimeout(0.2)
        line.sendall(PREFACE)
        with suppress(OSError):
            for number, kind in enumerate(ODD):
                line.sendall(FLOODS[kind](FIRST_STREAM + 20 * number))
                line.recv(65_536)


async def test_the_referee_serves_on_after_odd_calls(database: str, tmp_path: Path) -> None:
    path = tmp_path / "referee.sock"
    async with opened(database, socket=path) as scene, own_channel(scene.port) as asking:
        over_socket = socket.socket(socket.AF_UNIX)
        over_socket.connect(str(path))
        loop = asyncio.get_running_loop()
        for line in (socket.create_connection(("127.0.0.1", scene.port)), over_socket):
            await loop.run_in_executor(None, call_oddly, line)
        await RegistryServiceStub(asking).GetSigningKey(registry_pb2.GetSigningKeyRequest())
        async with Peer(f"unix:{path}", await scene.shift_token("bob")) as peer:
            await peer.greet()


def until_cut(port: int, content: bytes) -> None:
    """Send this as a client that acknowledges no settings, until its connection is cut."""
    line = socket.create_connection(("127.0.0.1", port), PATIENCE)
    with line, suppress(ConnectionError):
        line.sendall(PREFACE + content)
        while line.recv(65_536):
            pass


@pytest.mark.slow
async def test_a_connection_that_brings_more_metadata_than_its_limit_is_refused_and_cut(
    database: str,
) -> None:
    async with opened(database) as scene, own_channel(scene.port) as asking:
        calls = b"".join(map(oversized_call, range(FIRST_STREAM, FIRST_STREAM + 6, 2)))
        with capture_logs() as log:
            await asyncio.to_thread(until_cut, scene.port, calls)
        # It may be cut before it has been told why.
        refused = [line["why"] for line in log if line["event"] == "call refused"]
        assert refused == ["a call's metadata is at most 2048 bytes"]
        await RegistryServiceStub(asking).GetSigningKey(registry_pb2.GetSigningKeyRequest())


async def test_a_call_with_more_metadata_than_it_may_have_is_refused_before_it_is_read() -> None:
    meter = Meter()
    at, call = gate(meter), Call()

    async def served(_: object) -> str:
        return "served"

    for size in (0, MAX_METADATA_BYTES - LINE_BYTES - 1):
        details: Any = SimpleNamespace(invocation_metadata=(("k", "v" * size),))
        assert await RefuseOversized(at).intercept_service(served, details) == "served"
    details.invocation_metadata = (("k", "v" * (MAX_METADATA_BYTES - LINE_BYTES)),)
    refusing = await RefuseOversized(at).intercept_service(served, details)
    with pytest.raises(EndedError):
        await refusing.stream_stream(None, call)
    assert call.sentence == f"a call's metadata is at most {MAX_METADATA_BYTES} bytes"
    assert meter.codes == ["RESOURCE_EXHAUSTED"]
    assert list(at.connections._to_cut) == [call.peer()]


async def test_two_referees_do_not_share_a_port() -> None:
    first, second = (grpc.aio.server(options=OPTIONS) for _ in range(2))
    port = first.add_insecure_port("127.0.0.1:0")
    with pytest.raises(RuntimeError, match="Failed to bind"):
        second.add_insecure_port(f"127.0.0.1:{port}")
