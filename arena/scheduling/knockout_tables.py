"""The knockout format with more than two seats: about half of every table goes on.

Every table is full for any field, so that all matches belong to one ladder. In the first round the
bots left over, fewer than a table, have a bye: these are the best seeded. The number that goes on
is chosen so that the tables of the next round are full as well: of all such numbers, the closest to
half of each table (1 of 3, 2 of 4 or 5, 3 of 6). Tables send equal numbers; if that is not
possible, the first tables send one more. The final is one table with one winner.

Every round is newly drawn by the original seeding, in a serpentine: with three tables 1, 6, 7 are
at the first, 2, 5, 8 at the second, 3, 4, 9 at the third. So the best two can meet only in the
final.

The points over `blocks` blocks decide who goes on. While the last bot that would go on and the
first that would not are level, extra blocks are played one by one; after MOST_EXTRA_BLOCKS the
better seeded goes on, and the record says so.

The plan of rounds stays when bots withdraw. Withdrawn bots that would have gone on are replaced by
the best eliminated bots: those that reached the latest round, then those with the best rank at
their last table, then the better seeded. If there are not enough, the withdrawn bots get the byes,
and then seats at as few tables as possible; these tables are walkovers, and the other bots at them,
the best seeded of the round, are level.

Ranking is by rounds survived (including byes, and the final for its winner); then by the share of
opponents beaten at the last table, a level opponent counting half.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from arena.match.score_rule import ScoreRule
from arena.scheduling.knockout import Elimination
from arena.scheduling.pairings import (
    EntryNumber,
    Pairing,
    PlayedPairing,
    Standing,
    blocks_by_entry,
    ranked,
    require_full_table,
    schedule_randomness,
    seated,
)
from arena.scheduling.scoring import points, ranks


@dataclass(frozen=True, slots=True)
class Stage:
    """The plan of one round."""

    byes: int
    """0 except in the first round."""
    through: tuple[int, ...]
    """The number of bots that go on, by table."""

    @property
    def survivors(self) -> int:
        """The number of bots left after the round."""
        return self.byes + sum(self.through)


@lru_cache(maxsize=64)
def stages(field: int, seats: int) -> tuple[Stage, ...]:
    """Return the rounds of a field of at least `seats` bots; the last round is the final."""
    found = []
    left = field
    while left > seats:
        tables, byes = divmod(left, seats)
        # At least one of a table goes on, and at least one does not.
        full = [
            through
            for through in range(tables, tables * (seats - 1) + 1)
            if (through + byes) % seats == 0
        ]
        half = seats // 2 * tables
        through = min(full, key=lambda number: abs(number - half))
        each, odd = divmod(through, tables)
        found.append(Stage(byes, tuple(each + (table < odd) for table in range(tables))))
        left = found[-1].survivors
    return (*found, Stage(0, (1,)))


@dataclass(frozen=True, slots=True)
class TableKnockout(Elimination):
    """A knockout of `field` bots. A Format."""

    seats: int
    field: int

    tie_breaks = ("last table",)
    pairs_ahead = False

    def check(self, field: int) -> None:
        require_full_table(field, self.seats)

    def next_pairings(
        self, field: int, played: Sequence[PlayedPairing], withdrawn: Set[EntryNumber] = frozenset()
    ) -> tuple[Pairing, ...] | None:
        if not played:
            return self.begin(range(1, field + 1), withdrawn)
        decided = {one.pairing: how for one in played if (how := self.decided(one)) is not None}
        if len(decided) < len(played):
            return ()
        last = max(one.pairing.round for one in played)
        if last == len(stages(self.field, self.seats)):
            return None
        left = {
            entry
            for pairing, how in decided.items()
            if pairing.round == last
            for entry in how.through
        }
        # Replacements for withdrawn bots: by the latest round reached, then by the last table.
        reached = {
            entry: (-one.pairing.round, rank, entry)
            for one in sorted(played, key=lambda one: one.pairing.round)
            for entry, rank in zip(one.pairing.entries, ranks(one.total()), strict=True)
        }
        out = sorted(reached.keys() - left - withdrawn, key=reached.__getitem__)
        for gone, comes_in in zip(sorted(left & withdrawn), out, strict=False):
            left = left - {gone} | {comes_in}
        return self._round(last + 1, sorted(left), withdrawn)

    def begin(
        self, order: Sequence[EntryNumber], withdrawn: Set[EntryNumber]
    ) -> tuple[Pairing, ...]:
        """Return the first round of these bots, best seeded first."""
        return self._round(1, order, withdrawn)

    def standings(self, field: int, played: Sequence[PlayedPairing]) -> tuple[Standing, ...]:
        # Not the rounds won: a replacement lost a round, but plays on.
        survived: dict[EntryNumber, Fraction] = {}
        last_table: dict[EntryNumber, Fraction] = {}
        for one in sorted(played, key=lambda one: one.pairing.round):
            decided = self.decided(one)
            for entry in one.pairing.entries:
                through = decided is not None and entry in decided.through
                survived[entry] = Fraction(one.pairing.round - 1 + through)
            if decided is None:
                continue
            if not one.pairing.is_bye:
                shares = points(ranks(one.total()), ScoreRule.PLACEMENT)
                last_table |= zip(one.pairing.entries, shares, strict=True)
        return ranked(
            field,
            survived,
            lambda entry: (last_table.get(entry, Fraction(0)),),
            blocks_by_entry(played),
        )

    def expected_blocks(self, field: int) -> int:
        return sum(len(stage.through) for stage in stages(field, self.seats)) * self.blocks

    def _through(self, pairing: Pairing) -> int:
        return stages(self.field, self.seats)[pairing.round - 1].through[pairing.table - 1]

    def _round(
        self, number: int, left: Sequence[EntryNumber], withdrawn: Set[EntryNumber]
    ) -> tuple[Pairing, ...]:
        """Return the pairings of a round; `left` holds the remaining bots, best seeded first."""
        stage = stages(self.field, self.seats)[number - 1]
        # Withdrawn bots get the byes first, then seats at as few tables as possible.
        order = sorted(left, key=lambda entry: entry not in withdrawn)
        byes, others = order[: stage.byes], order[stage.byes :]
        playing = [entry for entry in others if entry not in withdrawn]
        gone = [entry for entry in others if entry in withdrawn]
        spare = len(playing) % self.seats
        walkovers = [*playing[:spare], *gone]
        tables = [
            *serpentine(playing[spare:], len(playing) // self.seats),
            *(walkovers[at : at + self.seats] for at in range(0, len(walkovers), self.seats)),
        ]
        randomness = schedule_randomness(self.seed)
        return tuple(
            seated(randomness, number, table, entries)
            for table, entries in enumerate([*tables, *([entry] for entry in byes)], start=1)
        )


def serpentine(order: Sequence[EntryNumber], tables: int) -> list[list[EntryNumber]]:
    """Return tables whose sizes differ by at most one, dealt from `order` in a serpentine.

    With nine bots and three tables the first has 1, 6, 7, the second 2, 5, 8, the third 3, 4, 9.
    """
    found: list[list[EntryNumber]] = [[] for _ in range(tables)]
    for place, entry in enumerate(order):
        row, at = divmod(place, tables)
        found[tables - 1 - at if row % 2 else at].append(entry)
    return found
