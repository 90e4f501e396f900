"""`Outbox`: collects the parts to be written to one stream, and joins them into one message."""

from collections.abc import Callable
from time import monotonic
from typing import Final

GATHER_SECONDS_A_MATCH: Final = 0.0001
"""How long to gather parts for each match beyond the first that the bot plays.

A message costs as much as several turns, so a bot with 32 matches gets a dozen turns 3 ms later
instead of two at once: little of its two seconds per turn. A bot with one match never waits.
"""
MOST_GATHER_SECONDS: Final = 0.004
MOST_WAITING: Final = 4_096
"""The most parts that may wait for a bot to read: about 64 for each match of a full bot."""


class Outbox:
    """The parts of the next PlayResponse of one stream.

    `overflow` is called when the bot reads too slowly, and `ready` when there is something to take,
    or when the outbox is closed.
    """

    __slots__ = ("_begun", "_overflow", "_ready", "closed", "matches", "parts", "taken_begun")

    def __init__(self, overflow: Callable[[], None], ready: Callable[[], None]) -> None:
        self._overflow = overflow
        self._ready = ready
        self.matches = 0
        """The number of matches that the bot plays at once."""
        self.closed = False
        """Whether the stream ends, with OK, once all waiting parts are written."""
        self.taken_begun = 0.0
        """The time, by monotonic(), at which the first part of the last taken message was added."""
        self._begun = 0.0
        # None instead of an empty list, and no object that waits: for most bots, most of the time,
        # there is nothing to be sent.
        self.parts: list[bytes] | None = None
        """The parts that wait to be sent; None if there are none."""

    def add(self, part: bytes) -> None:
        """Add some serialized fields of a PlayResponse."""
        if self.parts is None:
            self.parts = [part]
            self._begun = monotonic()
            self._ready()
            return
        self.parts.append(part)
        if len(self.parts) == MOST_WAITING:
            self._overflow()

    def close(self) -> None:
        """End the stream once all waiting parts are written."""
        self.closed = True
        self._ready()

    @property
    def gather_seconds(self) -> float:
        """How long to wait for further parts before they are taken."""
        return min((self.matches - 1) * GATHER_SECONDS_A_MATCH, MOST_GATHER_SECONDS)

    def take(self) -> bytes:
        """Return all waiting parts as one serialized PlayResponse."""
        parts, self.parts = self.parts, None
        self.taken_begun = self._begun
        # Concatenating serialized protobuf messages merges them.
        return b"".join(parts or ())
