"""How fast the house's bots play among themselves: a token bucket per ladder."""

import math
from typing import Final

DEFAULT_PACE: Final = 0.5
"""Matches a second among house bots, over all ladders together: it keeps a leaderboard moving, at a
few per cent of a core and a few MB of disk an hour."""
FULL_SPEED: Final = math.inf
WARM_START: Final = 600
"""Matches of a ladder that may begin at once after a start: with a few bots some seconds of play,
after which the ratings mean something."""


def read_pace(text: str) -> float:
    """Matches a second from `2`, `0.5` or `max`. Raises ValueError."""
    if text.strip().lower() == "max":
        return FULL_SPEED
    try:
        pace = float(text)
    except ValueError:
        pace = math.nan
    if not 0 < pace < math.inf:
        raise ValueError("write matches a second, such as 2, or max")
    return pace


class Pace:
    """A token bucket: full at first, refilled at `per_second` matches a second.

    Kept as the time at which it is full again (the generic cell rate algorithm), so that a timer
    set for `ready_at` never finds it a rounding error too early.
    """

    def __init__(self, per_second: float, burst: int = WARM_START) -> None:
        self._seconds_each = 1 / per_second
        self._burst = burst
        self._full_at = -math.inf

    def ready_at(self, matches: int) -> float:
        """The time from which on so many matches may begin; in the past when they may now."""
        return self._full_at - (self._burst - matches) * self._seconds_each

    def spend(self, now: float, matches: int) -> None:
        """Count matches that begin now."""
        self._full_at = max(now, self._full_at) + matches * self._seconds_each
