"""A peer that is frozen does not keep its connection."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from typing import Any

import grpc.aio
import pytest

from arena.bot import address
from arena.keepalive import keepalive
from arena.server.limits import channel_options
from arena.v1 import referee_pb2 as pb
from arena.v1.referee_pb2_grpc import (
    RefereeServiceServicer,
    add_RefereeServiceServicer_to_server,
)

PEER = """
import sys, threading
from arena.bot.address import Address
from arena.v1 import referee_pb2 as pb
from arena.v1.referee_pb2_grpc import RefereeServiceStub

def requests():
    yield pb.PlayRequest(hello=pb.Hello())
    threading.Event().wait()

for _ in RefereeServiceStub(Address(sys.argv[1]).channel()).Play(requests()):
    pass
"""


@pytest.mark.slow
async def test_a_frozen_peer_is_cut_when_it_does_not_answer_a_ping() -> None:
    said, cut = asyncio.Event(), asyncio.Event()

    class Service(RefereeServiceServicer):
        async def Play(  # type: ignore[override]  # noqa: N802
            self, requests: AsyncIterator[pb.PlayRequest], context: Any
        ) -> None:
            context.add_done_callback(lambda _: cut.set())
            await anext(aiter(requests))
            said.set()
            await cut.wait()

    listening = grpc.aio.server(options=keepalive(1000, 1000))
    add_RefereeServiceServicer_to_server(Service(), listening)
    port = listening.add_insecure_port("127.0.0.1:0")
    await listening.start()
    peer = await asyncio.create_subprocess_exec(sys.executable, "-c", PEER, f"127.0.0.1:{port}")
    try:
        async with asyncio.timeout(30):
            await said.wait()
        os.kill(peer.pid, signal.SIGSTOP)
        async with asyncio.timeout(30):  # by its own default gRPC waits for a minute
            await cut.wait()
    finally:
        peer.kill()
        await peer.wait()
        await listening.stop(None)


def test_referee_and_bots_wait_for_pings_as_long_as_documented() -> None:
    wanted = keepalive(channel_options.KEEPALIVE_MS, channel_options.KEEPALIVE_TIMEOUT_MS)
    assert set(wanted) <= set(channel_options.OPTIONS)
    assert set(keepalive(60_000, 20_000)) <= set(address._CHANNEL_OPTIONS)
