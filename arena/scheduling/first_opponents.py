"""`FirstOpponents`: lets a newcomer meet different opponents before it meets one of them again.

The bots that are free when a newcomer has played a block are often the same: those whose blocks are
short. A first rating from wins over one of them would say little. So for a moment after a block,
while others play that it has met less often, a newcomer does not sit down with a bot that it has
met more often than it would in turn.
"""

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Final

from arena.scheduling.ladder import MeetingCounts, TableType

NEWCOMER_TABLES: Final = 8
"""A bot with fewer tables of a type is a newcomer there."""
PATIENCE: Final = 10.0
"""For how long a newcomer waits for another opponent, in times of the block that it has played."""
PATIENCE_SECONDS: Final = 10.0
"""The longest wait."""
LOOKED_AT: Final = 32
"""The most bots at tables among which an opponent is looked for."""


class FirstOpponents:
    """Newcomers of one table type that wait for opponents they have not met."""

    def __init__(self, table_type: TableType, counts: MeetingCounts) -> None:
        self._type = table_type
        self._counts = counts
        self._until: dict[int, float] = {}
        """Until when each waits."""
        self._seated: dict[int, int] = {}
        """How many tables each holds a seat at."""

    def sat_down(self, bots: Iterable[int]) -> None:
        """Note that a block begins."""
        for bot in bots:
            self._seated[bot] = self._seated.get(bot, 0) + 1

    def got_up(self, bots: Collection[int], seconds: float, others: int, now: float) -> None:
        """Note how long a block took; each of its bots may meet about `others`."""
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
        """When the next of them has waited long enough; those that have are forgotten."""
        for bot in [bot for bot, until in self._until.items() if until <= now]:
            del self._until[bot]
        return min(self._until.values(), default=None)

    def allow(self, one: int, other: int, others: int, now: float) -> bool:
        """Whether two bots may sit down together now, where each may meet about `others`."""
        return not self._until or (
            self._in_turn(one, other, others, now) and self._in_turn(other, one, others, now)
        )

    def _in_turn(self, newcomer: int, other: int, others: int, now: float) -> bool:
        return self._until.get(newcomer, now) <= now or self._is_due(newcomer, other, others)

    def _is_due(self, newcomer: int, other: int, others: int) -> bool:
        """Whether a bot has met another no more often than it would in turn.

        Where a table has more seats, once more: all at a table must be due to each other.
        """
        met = self._counts.meetings(self._type, newcomer, other)
        tables = self._counts.matches(self._type, newcomer)
        opponents = (tables + 1) * (self._type.seats - 1)
        return (met - (self._type.seats > 2)) * others < opponents
