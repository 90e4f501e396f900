"""The history of a Swiss: points, opponents, floats and score groups."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction

from arena.scheduling.pairings import EntryNumber, Pairing

BYE: EntryNumber = 0
"""The opponent recorded for a bye."""


@dataclass(frozen=True, slots=True)
class SwissHistory:
    """The state of the field after some rounds."""

    points: Mapping[EntryNumber, Fraction]
    """By entry: multiples of 1/2 with two seats; with more, sums of the share beaten per table."""
    met: Mapping[EntryNumber, tuple[EntryNumber, ...]]
    """By entry, the opponents in order; BYE in place of each opponent missing in a bye."""
    floated: Mapping[EntryNumber, int]
    """By entry: 1 if it met bots with more points (on average) in the last round, -1 if fewer."""
    places: Mapping[EntryNumber, tuple[int, int]]
    """By entry: its position in its score group by seeding, from 0, and the group's size. Withdrawn
    bots are in no group."""

    def halves(self, entry: EntryNumber) -> int:
        """Return twice the points, as an integer; with two seats only."""
        return int(2 * self.points[entry])

    def standing(self, entry: EntryNumber) -> tuple[Fraction, EntryNumber]:
        """Return the sort key by points, then by seeding."""
        return -self.points[entry], entry

    def from_above(self, entry: EntryNumber) -> int:
        """Return the number of bots above it in its score group."""
        return self.places[entry][0]

    def from_below(self, entry: EntryNumber) -> int:
        """Return the number of bots below it in its score group."""
        return self.places[entry][1] - 1 - self.places[entry][0]

    def group_size(self, entry: EntryNumber) -> int:
        """Return the size of its score group, including itself."""
        return self.places[entry][1]


def history_of(
    field: int,
    outcomes: Sequence[tuple[Pairing, tuple[Fraction, ...]]],
    seats: int = 2,
    withdrawn: Set[EntryNumber] = frozenset(),
) -> SwissHistory:
    """Return the history of decided pairings, given in any order.

    Points are in the order of the entries.
    """
    entries = range(1, field + 1)
    points = dict.fromkeys(entries, Fraction(0))
    met: dict[EntryNumber, tuple[EntryNumber, ...]] = dict.fromkeys(entries, ())
    floated = dict.fromkeys(entries, 0)
    rounds = sorted({pairing.round for pairing, _ in outcomes})
    for number in rounds:
        before = dict(points)
        floated = dict.fromkeys(entries, 0)
        for pairing, gained in outcomes:
            if pairing.round != number:
                continue
            for entry, more in zip(pairing.entries, gained, strict=True):
                points[entry] += more
                opponents = [other for other in pairing.entries if other != entry]
                met[entry] += tuple(opponents or [BYE] * (seats - 1))
                theirs = Fraction(-1)
                if opponents:
                    theirs = sum((before[other] for other in opponents), Fraction(0))
                    theirs /= len(opponents)
                floated[entry] = (theirs > before[entry]) - (theirs < before[entry])
    grouped = [entry for entry in entries if entry not in withdrawn]
    sizes = Counter(points[entry] for entry in grouped)
    above: Counter[Fraction] = Counter()
    places = {}
    for entry in grouped:
        group = points[entry]
        places[entry] = (above[group], sizes[group])
        above[group] += 1
    return SwissHistory(points, met, floated, places)
