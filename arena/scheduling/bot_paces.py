"""`BotPaces`: which bots have begun as many matches as their paces allow, and until when they rest.

A pace is a number of rated matches an hour, shared by the versions of a bot. A bot may begin at
once the matches of the last hour that it has not begun; after that, its matches begin evenly.
"""

import math
from collections import OrderedDict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final

HOUR_SECONDS: Final = 3600.0
REMEMBERED: Final = 10_000
"""The number of disconnected bots whose matches are remembered, so that reconnecting does not
bypass a pace."""
SLOWEST_AN_HOUR, FASTEST_AN_HOUR = 1, 1_000_000
"""The bounds of a bot's pace, in matches an hour."""


def read_bot_pace(text: str) -> int | None:
    """Return matches an hour from a text such as `60`; None for `max`. Raises ValueError."""
    word = text.strip().lower()
    if word == "max":
        return None
    pace = int(word) if word.isascii() and word.isdecimal() and len(word) < 10 else 0
    if not SLOWEST_AN_HOUR <= pace <= FASTEST_AN_HOUR:
        raise ValueError(
            f"write {SLOWEST_AN_HOUR} to {FASTEST_AN_HOUR:,} matches an hour, such as 60, or max"
        )
    return pace


def pace_in_words(pace: int | None) -> str:
    """Return what a bot with this pace does."""
    if pace is None:
        return "plays as many matches as it can"
    return f"plays at most {pace:,} rated match{'es' * (pace > 1)} an hour"


@dataclass(slots=True, eq=False)
class _Paced:
    """A bot with a pace: a token bucket that is an hour deep (see `arena.scheduling.pace`)."""

    bot: str
    seconds_each: float = HOUR_SECONDS
    full_at: float = -math.inf
    """The time from which an hour's matches may begin at once. A new pace does not change it."""
    versions: set[int] = field(default_factory=set)
    """The connected versions."""

    @property
    def ready_at(self) -> float:
        """The time from which a match may begin."""
        return self.full_at - (HOUR_SECONDS - self.seconds_each)


class BotPaces:
    """The paces of the connected bots. No method scans all of them."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._bots: dict[str, _Paced] = {}
        """The connected bots with a pace, by name."""
        self._gone: OrderedDict[str, _Paced] = OrderedDict()
        """Bots that have left, the most recent at the end."""
        self._of: dict[int, _Paced] = {}
        """The bot of each connected version with a pace."""
        self._waking: list[tuple[float, int]] = []
        """A heap of the times at which versions may have rested enough."""
        self.resting: set[int] = set()
        """The connected versions that may begin no match, until `woken` yields them."""

    def came(self, version: int, bot: str, pace: int | None) -> None:
        """Note the pace of a version that is connected; None if it has none."""
        self.left(version)
        if pace is None:
            return
        paced = self._bots.get(bot) or self._gone.pop(bot, None) or _Paced(bot)
        self._bots[bot] = paced
        paced.seconds_each = HOUR_SECONDS / pace
        paced.versions.add(version)
        self._of[version] = paced
        if paced.full_at > -math.inf:
            self._rest(paced)

    def left(self, version: int) -> None:
        """Note that a version is not connected any more."""
        paced = self._of.pop(version, None)
        if paced is not None:
            paced.versions.discard(version)
            self.resting.discard(version)
            if not paced.versions:
                self._gone[paced.bot] = self._bots.pop(paced.bot)
                if len(self._gone) > self._remembered:
                    self._gone.popitem(last=False)

    def spend(self, version: int, matches: int, now: float) -> Collection[int]:
        """Count matches that a version begins now; return the versions that rest from now on."""
        paced = self._of.get(version)
        if paced is None:
            return ()
        paced.full_at = max(now, paced.full_at) + matches * paced.seconds_each
        if paced.ready_at <= now:
            return ()
        self._rest(paced)
        return paced.versions

    def woken(self, now: float) -> Iterator[int]:
        """Yield the versions that have rested enough."""
        while self._waking and self._waking[0][0] <= now:
            _, version = heappop(self._waking)
            if version not in self.resting:
                continue
            paced = self._of[version]
            if paced.ready_at > now:
                heappush(self._waking, (paced.ready_at, version))
            else:
                self.resting.discard(version)
                yield version

    @property
    def next_end(self) -> float | None:
        """The time at which to ask for `woken` again; None if no version rests."""
        return self._waking[0][0] if self._waking else None

    def _rest(self, paced: _Paced) -> None:
        for version in paced.versions:
            self.resting.add(version)
            heappush(self._waking, (paced.ready_at, version))
