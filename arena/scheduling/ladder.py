"""The rated ladder: which bots sit down next, so that all play and opponents even out."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arena.games.game import Options


@dataclass(frozen=True, slots=True)
class Ladder:
    """One ladder: a game under fixed options at one table size."""

    game: str
    options: Options
    seats: int

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells ladders apart: equal for equal rules and sizes."""
        return (self.game, repr(sorted(self.options.changed().items())), self.seats)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot that could sit down now."""

    bot: int
    """The version's id."""
    owner: str
    house: bool
    games: frozenset[str]

    def may_meet(self, other: "Candidate") -> bool:
        """Whether the two may sit at one rated table: not the same version, nor one owner's.

        The house's own sample bots are excepted from the second: they are one owner's by accident.
        """
        return self.bot != other.bot and (self.owner != other.owner or (self.house and other.house))


class MeetingCounts:
    """How often bots sat at one table, ladder by ladder. One match touches its own pairs only."""

    def __init__(self) -> None:
        self._matches: dict[tuple[Any, int], int] = defaultdict(int)
        self._pairs: dict[tuple[Any, int, int], int] = defaultdict(int)

    def add(self, ladder: Ladder, bots: Sequence[int], times: int = 1) -> None:
        """Count a table that was set up (or `times` of them)."""
        for bot in bots:
            self._matches[ladder.key, bot] += times
        for one, other in _pairs(bots):
            self._pairs[ladder.key, one, other] += times

    def add_pair(self, ladder: Ladder, one: int, other: int, times: int) -> None:
        """Count meetings of one pair alone, from a log that knows no tables."""
        self._pairs[ladder.key, min(one, other), max(one, other)] += times

    def matches(self, ladder: Ladder, bot: int) -> int:
        """How many tables a bot sat at."""
        return self._matches[ladder.key, bot]

    def meetings(self, ladder: Ladder, one: int, other: int) -> int:
        """How many tables the two sat at together."""
        return self._pairs[ladder.key, min(one, other), max(one, other)]


def next_table(
    ladder: Ladder, candidates: Iterable[Candidate], counts: MeetingCounts
) -> tuple[Candidate, ...] | None:
    """The bots of the next table of a ladder, or None when too few may meet.

    The bot with the fewest matches sits down first; then, one by one, whoever has met those seated
    least often (the one with fewer matches first). Linear in the candidates for each seat.
    """
    able = [candidate for candidate in candidates if ladder.game in candidate.games]
    able.sort(key=lambda candidate: counts.matches(ladder, candidate.bot))
    for first in able:
        seated = _seat_around(first, able, ladder, counts)
        if seated is not None:
            return seated
    return None


def _seat_around(
    first: Candidate, able: Sequence[Candidate], ladder: Ladder, counts: MeetingCounts
) -> tuple[Candidate, ...] | None:
    seated = [first]
    met = {other.bot: 0 for other in able if other.may_meet(first)}
    open_to = [other for other in able if other.bot in met]
    while len(seated) < ladder.seats:
        if not open_to:
            return None
        for other in open_to:
            met[other.bot] += counts.meetings(ladder, other.bot, seated[-1].bot)
        # min keeps the order of `able`, which is by matches.
        chosen = min(open_to, key=lambda other: met[other.bot])
        seated.append(chosen)
        open_to = [other for other in open_to if other.may_meet(chosen)]
    return tuple(seated)


def rotations(seats: int) -> Iterator[tuple[int, ...]]:
    """The seatings of a block: who of the `seats` bots sits where, once per rotation."""
    for shift in range(seats):
        yield tuple((seat + shift) % seats for seat in range(seats))


def _pairs(bots: Sequence[int]) -> Iterator[tuple[int, int]]:
    ordered = sorted(bots)
    for index, one in enumerate(ordered):
        for other in ordered[index + 1 :]:
            yield one, other
