"""What waits to be written to one stream: one message, filled in place until it is taken."""

import asyncio

from arena.v1 import referee_pb2


class Outbox:
    """Collects a PlayResponse. Bounded by what a session may hold: see session.py."""

    def __init__(self) -> None:
        self._message = referee_pb2.PlayResponse()
        self._filled = asyncio.Event()

    def message(self) -> referee_pb2.PlayResponse:
        """The message being filled; whoever asks for it adds to it."""
        self._filled.set()
        return self._message

    async def take(self) -> referee_pb2.PlayResponse:
        """Everything that is waiting, as soon as there is something."""
        await self._filled.wait()
        self._filled.clear()
        message, self._message = self._message, referee_pb2.PlayResponse()
        return message
