"""The pace of matches among house bots: a token bucket per ladder."""

import math
import re
from typing import Final

DEFAULT_PACE: Final = 0.5
"""Matches per second among house bots, over all ladders together: enough to keep leaderboards
changing, at a few per cent of a core and a few MB of disk per hour."""
FULL_SPEED: Final = math.inf
WARM_START: Final = 600
"""Matches of a ladder that may begin at once after a start: a few seconds of play with a few bots,
after which the ratings are meaningful."""

SLOWEST, FASTEST = 0.001, 10_000
"""The bounds of a pace, matches per second."""


def read_pace(text: str) -> float:
    """Return matches per second from a text such as `2`, `0.5` or `max`. Raises ValueError."""
    word = text.strip().lower()
    if word == "max":
        return FULL_SPEED
    pace = float(word) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", word, re.ASCII) else math.nan
    # Below, a match would take longer than anybody waits; above, it is full speed.
    if not SLOWEST <= pace <= FASTEST:
        raise ValueError(f"write {SLOWEST:g} to {FASTEST:,} matches a second, such as 2, or max")
    return pace


class Pace:
    """A token bucket: full at first, refilled at `per_second` matches per second.

    Its state is the time at which it is full again (the generic cell rate algorithm), so a timer
    set for `ready_at` never fires too early because of rounding.
    """

    def __init__(self, per_second: float, burst: int = WARM_START) -> None:
        self._seconds_each = 1 / per_second
        self._burst = burst
        self._full_at = -math.inf

    def ready_at(self, matches: int) -> float:
        """Return the time from which `matches` matches may begin.

        The time is in the past if they may begin now.
        """
        return self._full_at - (self._burst - matches) * self._seconds_each

    def spend(self, now: float, matches: int) -> None:
        """Count matches that begin now."""
        self._full_at = max(now, self._full_at) + matches * self._seconds_each
