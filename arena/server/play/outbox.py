"""`Outbox`: collects the parts to be written to one stream, and joins them into one message."""

from collections import deque
from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Final

from arena.server.limits.channel_options import KEEPALIVE_MS, KEEPALIVE_TIMEOUT_MS

GATHER_SECONDS_A_MATCH: Final = 0.0001
"""How long to gather parts for each match beyond the first that the bot plays.

A message costs as much as several turns. So a bot with 32 matches gets a dozen turns 3 ms later
instead of two at once; 3 ms are little of its two seconds per turn. A bot with one match never
waits.
"""
MOST_GATHER_SECONDS: Final = 0.004
DOUBT_SECONDS: Final = (KEEPALIVE_MS + KEEPALIVE_TIMEOUT_MS) / 1000 + 5
"""How long the loss of a sent part may stay unnoticed: until a ping of gRPC finds the peer gone,
and gRPC reports it."""
MOST_UNTOLD: Final = 200
"""The most ends of a version that are kept to be sent again, so also the most in doubt."""
MOST_WAITING: Final = 4_096
"""The most parts that may wait for a bot to read: about 64 for each match of a full bot."""


class Outbox:
    """The parts of the next PlayResponse of one stream.

    `overflow` is called when the bot reads too slowly, and `ready` when there is something to take,
    or when the outbox is closed.
    """

    __slots__ = (
        *("_begun", "_ends", "_now", "_overflow", "_ready"),
        *("closed", "matches", "parts", "taken_begun", "writing"),
    )

    def __init__(
        self,
        overflow: Callable[[], None],
        ready: Callable[[], None],
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._overflow = overflow
        self._ready = ready
        self._now = now
        self._ends: deque[tuple[float, str]] | None = None
        """The latest ends: when each was added, and its match. None before the first."""
        self.matches = 0
        """The number of matches that the bot plays at once."""
        self.closed = False
        """Whether the stream ends, with OK, once all waiting parts are written."""
        self.taken_begun = 0.0
        """The time at which the first part of the last taken message was added."""
        self.writing = False
        """Whether the last taken message may not be written yet; the writer resets this."""
        self._begun = 0.0
        # None instead of an empty list, and no event object, to save memory: most bots have nothing
        # to be sent most of the time.
        self.parts: list[bytes] | None = None
        """The parts that wait to be sent; None if there are none."""

    def add(self, part: bytes) -> None:
        """Add some serialized fields of a PlayResponse."""
        if self.parts is None:
            self.parts = [part]
            self._begun = self._now()
            self._ready()
            return
        self.parts.append(part)
        if len(self.parts) == MOST_WAITING:
            self._overflow()

    def add_end(self, match_id: str, part: bytes) -> None:
        """Add the end of a match, and remember it for as long as its arrival is in doubt."""
        self.add(part)
        if self._ends is None:
            self._ends = deque(maxlen=MOST_UNTOLD)
        self._ends.append((self._now(), match_id))
        while self._ends[0][0] < self._arrived_before:
            self._ends.popleft()

    def ends_in_doubt(self) -> list[str]:
        """Return the matches whose ends may be lost if the stream is, the oldest first."""
        arrived = self._arrived_before
        return [match_id for added, match_id in self._ends or () if added >= arrived]

    def trust_written(self) -> None:
        """Doubt only unwritten ends; call this before the referee itself closes the stream."""
        written = self._written_before
        self._ends = deque((one for one in self._ends or () if one[0] >= written), MOST_UNTOLD)

    @property
    def _arrived_before(self) -> float:
        """The time before which all that was added has arrived, or is known to be lost."""
        return min(self._now() - DOUBT_SECONDS, self._written_before)

    @property
    def _written_before(self) -> float:
        """The time before which all that was added is written."""
        if self.writing:
            return self.taken_begun
        return inf if self.parts is None else self._begun

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
        self.writing = True
        # Concatenating serialized protobuf messages merges them.
        return b"".join(parts or ())
