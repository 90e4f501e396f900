"""A spectator for tests, who keeps all that it is sent."""

from collections.abc import Callable
from typing import Any, Self

from arena.v1 import spectator_pb2 as pb
from arena.v1.spectator_pb2_grpc import SpectatorServiceStub
from tests.bots import Listening


class Watcher(Listening):
    """The stream of a spectator."""

    def __init__(self, port: int, **wanted: Any) -> None:
        super().__init__(port)
        self.stub: Any = SpectatorServiceStub(self.channel)
        self.call = self.stub.Watch(pb.WatchRequest(**wanted))

    async def __aenter__(self) -> Self:
        await self.hear()
        return self

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
