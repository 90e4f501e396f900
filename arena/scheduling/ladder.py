"""The parts of the rated ladder: table types, candidates, and counts of who met whom."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from typing import Any, Final

from arena.games.game import Options
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl


@dataclass(frozen=True, slots=True)
class TableType:
    """A game under fixed options, a number of seats and a time control."""

    game: str
    options: Options
    seats: int
    time_control: TimeControl = DEFAULT_TIME_CONTROL
    key: str = field(init=False)
    """The identity of the type: equal for equal rules, table sizes and time controls."""

    def __post_init__(self) -> None:
        changed = repr(sorted(self.options.changed().items()))
        # Computed once, as a string, because Python caches a string's hash: each match makes dozens
        # of look-ups by it. A field of a frozen class can only be set in this way.
        key = f"{self.game} {changed} {self.seats} {self.time_control}"
        object.__setattr__(self, "key", key)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot that is available for a table now."""

    bot: int
    """The version's id."""
    owner: str
    house: bool
    games: frozenset[str]
    account: str = field(init=False)
    """The account whose bots share places: an owner, or a single house bot."""

    def __post_init__(self) -> None:
        # A slash cannot be part of an owner's name.
        account = f"{self.owner}/{self.bot}" if self.house else self.owner
        object.__setattr__(self, "account", account)

    def may_meet(self, other: "Candidate") -> bool:
        """Return whether the two may share a rated table: different versions and owners.

        House bots may meet each other although they have the same owner.
        """
        return self.bot != other.bot and (self.owner != other.owner or (self.house and other.house))


MOST_KNOWN: Final = 200_000
"""Most bots or pairs remembered per table type (100 to 200 bytes each): ten times the number of
matches read at a start."""


def forget_oldest(known: dict[Any, Any], most: int) -> None:
    """Remove the older half of the entries if there are more than `most`.

    Removes half at once: removing one at a time would scan past deleted entries each time.
    """
    if len(known) > most:
        for one in list(islice(known, len(known) // 2)):
            del known[one]


class MeetingCounts:
    """Counts of tables per bot and pair, by type of table.

    A match changes only its own pairs. Beyond `most` bots or pairs of a table type, the least
    recently counted ones are forgotten.
    """

    def __init__(self, most: int = MOST_KNOWN) -> None:
        self._most = most
        self._matches: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._pairs: defaultdict[str, dict[tuple[int, int], int]] = defaultdict(dict)

    def add(self, table_type: TableType, bots: Sequence[int], times: int = 1) -> None:
        """Count a new table; with `times` -1, take back one that was not played."""
        for bot in bots:
            self.add_matches(table_type, bot, times)
        for one, other in combinations(bots, 2):
            self.add_meetings(table_type, one, other, times)

    def add_matches(self, table_type: TableType, bot: int, times: int) -> None:
        """Count tables of one bot."""
        self._count(self._matches[table_type.key], bot, times)

    def add_meetings(self, table_type: TableType, one: int, other: int, times: int) -> None:
        """Count tables of one pair."""
        pair = min(one, other), max(one, other)
        self._count(self._pairs[table_type.key], pair, times)

    def _count(self, counted: dict[Any, int], key: Hashable, times: int) -> None:
        """Add to the count of a key and move it to the end; remove a key without tables."""
        now = counted.pop(key, 0) + times
        if now > 0:
            counted[key] = now
            forget_oldest(counted, self._most)

    def matches(self, table_type: TableType, bot: int) -> int:
        """Return the number of tables of a bot."""
        return self._matches[table_type.key].get(bot, 0)

    def meetings(self, table_type: TableType, one: int, other: int) -> int:
        """Return the number of tables that the two shared."""
        return self._pairs[table_type.key].get((min(one, other), max(one, other)), 0)

    def pairs(self, table_type: TableType) -> Mapping[tuple[int, int], int]:
        """Return the live counts of tables by pair that met, the lower id first."""
        return self._pairs[table_type.key]
