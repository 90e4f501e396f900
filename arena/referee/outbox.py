"""What waits to be written to one stream: one message, filled in place until it is taken."""

import asyncio
from collections.abc import Callable
from typing import Final

from arena.v1 import referee_pb2

GATHER_SECONDS_A_MATCH: Final = 0.0001
"""How long to gather for each match beyond the first that the bot plays. A message costs as much as
several turns, so a bot with 32 matches gets a dozen turns 3 ms later instead of two at once: of its
two seconds that is nothing. A bot with one match never waits."""
MOST_GATHER_SECONDS: Final = 0.004


MOST_WAITING: Final = 4_096
"""Additions that may wait for a bot to read: some sixty for each match it may play at once."""


class Outbox:
    """Collects a PlayResponse; `overflow` is called when the bot reads too slowly for it."""

    def __init__(self, overflow: Callable[[], None]) -> None:
        self._overflow = overflow
        self._additions = 0
        self.matches = 0
        """How many matches the bot plays at the moment."""
        self._message = referee_pb2.PlayResponse()
        self._filled = asyncio.Event()

    def message(self) -> referee_pb2.PlayResponse:
        """The message being filled; whoever asks for it adds to it."""
        self._additions += 1
        if self._additions == MOST_WAITING:
            self._overflow()
        self._filled.set()
        return self._message

    async def take(self) -> referee_pb2.PlayResponse:
        """Everything that is waiting, as soon as there is something."""
        await self._filled.wait()
        if self.matches > 1:
            gather = (self.matches - 1) * GATHER_SECONDS_A_MATCH
            await asyncio.sleep(min(gather, MOST_GATHER_SECONDS))
        self._filled.clear()
        self._additions = 0
        message, self._message = self._message, referee_pb2.PlayResponse()
        return message
