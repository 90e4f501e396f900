"""`FirstOpponents`: lets a newcomer meet different opponents before it meets one of them again.

The bots that are free when a newcomer's block ends are often the same: those whose blocks are
short. A first rating from wins over one of them would say little. So for a short time after a
block, while bots that it has met less often are playing, a newcomer does not sit down with a bot
that it has met more often than an even share of its matches.
"""

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Final

from arena.scheduling.ladder import MeetingCounts, TableType

NEWCOMER_TABLES: Final = 8
"""A bot with fewer tables of a type is a newcomer there."""
PATIENCE: Final = 10.0
"""How long a newcomer waits for another opponent, as a multiple of the time of its last block."""
PATIENCE_SECONDS: Final = 10.0
"""The longest wait."""
LOOKED_AT: Final = 32
"""The limit of the scan of seated bots for another opponent."""


class FirstOpponents:
    """Newcomers of one table type that wait for opponents they have not met."""

    def __init__(self, table_type: TableType, counts: MeetingCounts) -> None:
        self._type = table_type
        self._counts = counts
        self._until: dict[int, float] = {}
        """The time until which each newcomer waits."""
        self._seated: dict[int, int] = {}
        """The number of tables at which each bot sits."""

    def sat_down(self, bots: Iterable[int]) -> None:
        """Note that a block begins."""
        for bot in bots:
            self._seated[bot] = self._seated.get(bot, 0) + 1

    def got_up(self, bots: Collection[int], seconds: float, others: int, now: float) -> None:
        """Note the end and duration of a block; its bots may each meet about `others` bots."""
        for bot in bots:
            self._seated[bot] -= 1
            if not self._seated[bot]:
                del self._seated[bot]
        for bot in bots:
            self._until.pop(bot, None)
            if self._counts.matches(self._type, bot) < NEWCOMER_TABLES and any(
                one != bot and self._is_due(bot, one, others)
                for one in islice(self._seated, LOOKED_AT)
            ):
                self._until[bot] = now + min(PATIENCE_SECONDS, PATIENCE * seconds)

    def next_end(self, now: float) -> float | None:
        """Return when the next wait ends, or None; forget the waits that are over."""
        for bot in [bot for bot, until in self._until.items() if until <= now]:
            del self._until[bot]
        return min(self._until.values(), default=None)

    def allow(self, one: int, other: int, others: int, now: float) -> bool:
        """Return whether two bots may sit down together now; each may meet about `others` bots."""
        return not self._until or (
            self._in_turn(one, other, others, now) and self._in_turn(other, one, others, now)
        )

    def _in_turn(self, newcomer: int, other: int, others: int, now: float) -> bool:
        return self._until.get(newcomer, now) <= now or self._is_due(newcomer, other, others)

    def _is_due(self, newcomer: int, other: int, others: int) -> bool:
        """Return whether a newcomer has met another bot no more often than an even share.

        With more than two seats one more meeting is allowed, because all bots at a table must be
        due to each other.
        """
        met = self._counts.meetings(self._type, newcomer, other)
        tables = self._counts.matches(self._type, newcomer)
        opponents = (tables + 1) * (self._type.seats - 1)
        return (met - (self._type.seats > 2)) * others < opponents
