"""`Spreading`: how many referees of an arena, the oldest first, the bots play at.

The senior decides, from the loads of all. A message costs as much as several turns, and the more
matches a bot plays at one referee, the more of its turns share a message. So all bots play at the
same referees, and at no more of them than the load needs. The others stand by, connected to all
bots.

A bot that knows only one address always plays there. While such bots are at a referee that would
stand by, that referee and all older ones are in use, so that those bots have opponents.
"""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

ALL: Final = 0
"""The value of `in_use` that stands for all referees."""
FULL: Final = 0.75
"""The default load from which a referee should get no more matches."""
_SPARE: Final = 2 / 3
"""One more referee stands by only if the others then have at most this part of a full load.

It must be well below 1, otherwise adding and removing a referee would alternate: matches that are
spread take up to a fifth more time.
"""
SETTLE_SECONDS: Final = 15.0
"""The time after a change before loads are looked at again.

By then matches have moved, and the loads, which are means of some seconds, show it.
"""


class Spreading:
    """How many of the oldest referees are in use."""

    def __init__(self, full: float = FULL, now: Callable[[], float] = monotonic) -> None:
        """Begin with one; `full` is the load from which another is used; 0 means always all."""
        self.full = full
        self.in_use = ALL if full == 0 else 1
        self._now = now
        self._settled_at = now()

    def follow(self, in_use: int) -> None:
        """Take over what the senior has decided."""
        self.in_use = in_use

    def decide(self, loads: Sequence[float], bound: int) -> None:
        """Decide as the senior, from the loads of all referees, the oldest first.

        The first `bound` are needed for bots that know only one address.
        """
        if self.full == 0:
            self.in_use = ALL
            return
        # An earlier senior may have decided it: with more referees than now, or for all.
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
