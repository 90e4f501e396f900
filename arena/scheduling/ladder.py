"""Selection of the bots of the next rated table, so that matches and opponents even out."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from operator import itemgetter
from typing import Any, TypeAlias

from arena.games.game import Options
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl


@dataclass(frozen=True, slots=True)
class TableType:
    """A kind of table: a game under fixed options, a number of seats and a time control."""

    game: str
    options: Options
    seats: int
    time_control: TimeControl = DEFAULT_TIME_CONTROL
    key: tuple[Any, ...] = field(init=False)
    """The identity of the type: equal for equal rules, table sizes and time controls."""

    def __post_init__(self) -> None:
        changed = repr(sorted(self.options.changed().items()))
        # Computed once, because it is used a dozen times per match. A frozen field needs setattr.
        object.__setattr__(self, "key", (self.game, changed, self.seats, self.time_control))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot that is available for a table now."""

    bot: int
    """The version's id."""
    owner: str
    house: bool
    games: frozenset[str]
    account: str = field(init=False)
    """Who shares places as one: an owner with all its bots, but each bot of the house by itself."""

    def __post_init__(self) -> None:
        # A slash cannot be part of an owner's name.
        account = f"{self.owner}/{self.bot}" if self.house else self.owner
        object.__setattr__(self, "account", account)

    def may_meet(self, other: "Candidate") -> bool:
        """Whether the two may sit at one rated table: different versions of different owners.

        House bots may meet each other although they have the same owner.
        """
        return self.bot != other.bot and (self.owner != other.owner or (self.house and other.house))


class MeetingCounts:
    """Counts of tables per bot and pair, by type of table. A match changes only its own pairs."""

    def __init__(self) -> None:
        self._matches: dict[tuple[Any, int], int] = defaultdict(int)
        self._pairs: dict[tuple[Any, int, int], int] = defaultdict(int)

    def add(self, table_type: TableType, bots: Sequence[int], times: int = 1) -> None:
        """Count a new table; -1 takes back one that came to nothing."""
        for bot in bots:
            self.add_matches(table_type, bot, times)
        for one, other in combinations(bots, 2):
            self.add_meetings(table_type, one, other, times)

    def add_matches(self, table_type: TableType, bot: int, times: int) -> None:
        """Count tables of one bot."""
        self._matches[table_type.key, bot] += times

    def add_meetings(self, table_type: TableType, one: int, other: int, times: int) -> None:
        """Count tables of one pair."""
        self._pairs[table_type.key, min(one, other), max(one, other)] += times

    def matches(self, table_type: TableType, bot: int) -> int:
        """The number of tables of a bot."""
        return self._matches[table_type.key, bot]

    def meetings(self, table_type: TableType, one: int, other: int) -> int:
        """The number of tables that the two shared."""
        return self._pairs[table_type.key, min(one, other), max(one, other)]


MaySit: TypeAlias = Callable[[Candidate, Candidate], bool]
"""Whether two candidates may share one more table now."""


def next_table(
    table_type: TableType,
    candidates: Iterable[Candidate],
    counts: MeetingCounts,
    may_sit: MaySit | None = None,
    *,
    with_visitor: bool = False,
) -> tuple[Candidate, ...] | None:
    """The bots of the next table of a type, or None if too few may meet.

    The bot with the fewest matches is chosen first; then, one by one, the bot that has met those
    chosen least often (among equals, the one with fewer matches). Linear in the candidates for each
    seat, and as often as the bot chosen first finds no table; bots of its owner are not looked at.

    With `with_visitor` the first bot is not a house bot.
    """
    able = [candidate for candidate in candidates if table_type.game in candidate.games]
    able.sort(key=lambda candidate: counts.matches(table_type, candidate.bot))
    by_owner: dict[str, list[tuple[int, Candidate]]] = {}
    for number, candidate in enumerate(able):
        by_owner.setdefault(candidate.owner, []).append((number, candidate))
    for first in able:
        if with_visitor and first.house:
            continue
        seated = _seat_around(first, by_owner, table_type, counts, may_sit)
        if seated is not None:
            return seated
    return None


def _seat_around(
    first: Candidate,
    by_owner: Mapping[str, Sequence[tuple[int, Candidate]]],
    table_type: TableType,
    counts: MeetingCounts,
    may_sit: MaySit | None,
) -> tuple[Candidate, ...] | None:
    def may_join(other: Candidate, seated: Candidate) -> bool:
        return other.may_meet(seated) and (may_sit is None or may_sit(other, seated))

    seated = [first]
    # Owner by owner: hundreds of free bots of one, with nobody to meet, must not cost their square.
    joining = [
        (number, other)
        for owner, numbered in by_owner.items()
        if owner != first.owner or first.house
        for number, other in numbered
        if may_join(other, first)
    ]
    joining.sort(key=itemgetter(0))
    open_to = [other for _, other in joining]
    met = {other.bot: 0 for other in open_to}
    while len(seated) < table_type.seats:
        if not open_to:
            return None
        for other in open_to:
            met[other.bot] += counts.meetings(table_type, other.bot, seated[-1].bot)
        # min keeps the order, which is by matches.
        chosen = min(open_to, key=lambda other: met[other.bot])
        seated.append(chosen)
        open_to = [other for other in open_to if may_join(other, chosen)]
    return tuple(seated)
