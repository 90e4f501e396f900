"""`Outbox`: collects what is to be written to one stream, and joins it into one message."""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Final

GATHER_SECONDS_A_MATCH: Final = 0.0001
"""How long to gather for each match beyond the first that the bot plays. A message costs as much as
several turns, so a bot with 32 matches gets a dozen turns 3 ms later instead of two at once: little
of its two seconds per turn. A bot with one match never waits."""
MOST_GATHER_SECONDS: Final = 0.004
MOST_WAITING: Final = 4_096
"""How many additions may wait for a bot to read: about sixty for each match it may play at once."""


class Outbox:
    """Collects the parts of a PlayResponse.

    `overflow` is called when the bot reads too slowly, and `ready` when there is something to take,
    or nothing will be any more.
    """

    __slots__ = ("_begun", "_overflow", "_parts", "_ready", "closed", "matches", "taken_begun")

    def __init__(self, overflow: Callable[[], None], ready: Callable[[], None]) -> None:
        self._overflow = overflow
        self._ready = ready
        self.matches = 0
        """How many matches the bot is playing."""
        self.closed = False
        """Whether the stream ends, with OK, once all that waits is written."""
        self.taken_begun = 0.0
        """When the first part of the message that was last taken was added, as by monotonic()."""
        self._begun = 0.0
        # None instead of an empty list, and nothing that waits: for most bots, most of the time,
        # there is nothing to be sent.
        self._parts: list[bytes] | None = None

    def add(self, part: bytes) -> None:
        """Add some fields of a PlayResponse, serialized."""
        if self._parts is None:
            self._parts = [part]
            self._begun = monotonic()
            self._ready()
            return
        self._parts.append(part)
        if len(self._parts) == MOST_WAITING:
            self._overflow()

    def close(self) -> None:
        """End the stream when all that waits is written."""
        self.closed = True
        self._ready()

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return self._parts is None

    async def take(self) -> bytes:
        """Gather for a moment; returns everything waiting as one serialized PlayResponse."""
        if self.matches > 1:
            gather = (self.matches - 1) * GATHER_SECONDS_A_MATCH
            await asyncio.sleep(min(gather, MOST_GATHER_SECONDS))
        parts, self._parts = self._parts, None
        self.taken_begun = self._begun
        # Concatenating serialized protobuf messages merges them.
        return b"".join(parts or ())
