"""A spectator for tests, who keeps all that it is sent."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc

from arena.v1 import spectator_pb2 as pb
from arena.v1.spectator_pb2_grpc import SpectatorServiceStub
from tests.bots import PATIENCE


class Watcher:
    """One stream. Everything it hears is kept in `heard`."""

    def __init__(self, port: int, **wanted: Any) -> None:
        self.heard: list[pb.WatchResponse] = []
        self.channel = grpc.aio.insecure_channel(
            f"127.0.0.1:{port}", options=[("grpc.use_local_subchannel_pool", 1)]
        )
        self.stub: Any = SpectatorServiceStub(self.channel)
        self.call: Any = self.stub.Watch(pb.WatchRequest(**wanted))

    async def __aenter__(self) -> "Watcher":
        await self.hear()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.channel.close()

    async def hear(self) -> pb.WatchResponse:
        """The next message. Raises EOFError when the stream is over."""
        async with asyncio.timeout(PATIENCE):
            message = await self.call.read()
        if message is grpc.aio.EOF:
            raise EOFError
        self.heard.append(message)
        return message

    async def hear_until(self, found: Callable[[], Any]) -> None:
        while not found():
            await self.hear()

    @property
    def matches(self) -> dict[str, pb.WatchedMatch]:
        return {one.match_id: one for message in self.heard for one in message.matches}

    @property
    def ends(self) -> dict[str, pb.WatchedEnd]:
        return {one.match_id: one for message in self.heard for one in message.ends}

    def moments(self, match_id: str) -> list[pb.PublicMoment]:
        return [
            one for message in self.heard for one in message.moments if one.match_id == match_id
        ]

    async def status(self) -> tuple[grpc.StatusCode, str]:
        """How the stream ended."""
        try:
            while True:
                await self.hear()
        except (EOFError, grpc.aio.AioRpcError):
            async with asyncio.timeout(PATIENCE):
                return await self.call.code(), await self.call.details()
