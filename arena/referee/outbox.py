"""What waits to be written to one stream: it is one message by the time that it is taken."""

import asyncio
from collections.abc import Callable
from typing import Final

GATHER_SECONDS_A_MATCH: Final = 0.0001
"""How long to gather for each match beyond the first that the bot plays. A message costs as much as
several turns, so a bot with 32 matches gets a dozen turns 3 ms later instead of two at once: of its
two seconds that is nothing. A bot with one match never waits."""
MOST_GATHER_SECONDS: Final = 0.004


MOST_WAITING: Final = 4_096
"""Additions that may wait for a bot to read: some sixty for each match it may play at once."""


class Outbox:
    """Collects the parts of a PlayResponse; `overflow` is called when the bot reads too slowly."""

    def __init__(self, overflow: Callable[[], None]) -> None:
        self._overflow = overflow
        self.matches = 0
        """How many matches the bot plays at the moment."""
        self.closed = False
        """Whether nothing follows on what waits: the stream ends in order."""
        self._parts: list[bytes] = []
        self._filled = asyncio.Event()

    def add(self, part: bytes) -> None:
        """Send some members of a PlayResponse, as their bytes."""
        if not self._parts:
            self._filled.set()
        self._parts.append(part)
        if len(self._parts) == MOST_WAITING:
            self._overflow()

    def close(self) -> None:
        """End the stream when all that waits is written."""
        self.closed = True
        self._filled.set()

    @property
    def done(self) -> bool:
        """Whether it is closed, and nothing waits."""
        return self.closed and not self._parts

    async def take(self) -> bytes:
        """The bytes of a PlayResponse with all that is waiting, as soon as there is something."""
        await self._filled.wait()
        if self.matches > 1:
            gather = (self.matches - 1) * GATHER_SECONDS_A_MATCH
            await asyncio.sleep(min(gather, MOST_GATHER_SECONDS))
        self._filled.clear()
        parts, self._parts = self._parts, []
        # That is how protobuf joins messages: the members of all of them, one after the other.
        return b"".join(parts)
