"""`Spreading`: at how many of several referees the bots play, the oldest of them.

The senior decides, from the loads of all. A message costs as much as several turns, and the more
matches a bot plays at a referee, the more turns share one: so the bots play at no more referees
than have to carry the load, all of them at the same ones, where they meet as if there were no
others. The other referees stand by, connected to all bots.

A bot that knows one address plays there, whoever else does. While such bots are at a referee that
would stand by, it is in use, and with it those before it: others must be there to meet them.
"""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

ALL: Final = 0
"""Stands for all referees, however many they are."""
FULL: Final = 0.75
"""The load from which a referee should have no more matches, by default."""
_SPARE: Final = 2 / 3
"""The part of a full load that the referees left have at the most when one more stands by.

It must be well below 1, or one more and one less would alternate: matches that are spread take up
to a fifth more time.
"""
SETTLE_SECONDS: Final = 15.0
"""The time after a change before loads are looked at again.

By then matches have moved, and the loads, which are means of some seconds, say so.
"""


class Spreading:
    """How many of the oldest referees are in use."""

    def __init__(self, full: float = FULL, now: Callable[[], float] = monotonic) -> None:
        """Begin with one; `full` is the load from which another is used, or 0 for all always."""
        self.full = full
        self.in_use = ALL if full == 0 else 1
        self._now = now
        self._settled_at = now()

    def follow(self, in_use: int) -> None:
        """Take over what the senior has decided."""
        self.in_use = in_use

    def decide(self, loads: Sequence[float], bound: int) -> None:
        """Decide as the senior, from the loads of all referees, the oldest first.

        The first `bound` are needed for bots that know one address.
        """
        if self.full == 0:
            self.in_use = ALL
            return
        # Of an earlier senior: there may be fewer referees now, or it used all.
        used = min(self.in_use or len(loads), len(loads))
        wanted = max(used, min(bound, len(loads)))
        if wanted == used and self._now() >= self._settled_at:
            carried = sum(loads[:used])
            if carried >= self.full * used and used < len(loads):
                wanted += 1
            elif used > max(1, bound) and carried <= _SPARE * self.full * (used - 1):
                wanted -= 1
        if wanted != used:
            self._settled_at = self._now() + SETTLE_SECONDS
        self.in_use = wanted
