"""Knockout at tables of more than two seats: of every table about half go on.

Every table is full, whatever the field, so that all matches are of one ladder. In the first round
those who find no seat, fewer than a table, have a bye: the best seeded. How many go on is chosen so
that the next round's tables are full as well: of the numbers that do so the one closest to half of
each table (of 3 one, of 4 and 5 two, of 6 three), shared out so that no table sends two more than
another; the first tables send the odd ones. The final is one table, and one wins.

Every round is drawn anew by the original seeding, in a serpentine: with three tables 1, 6, 7 are at
the first, 2, 5, 8 at the second, 3, 4, 9 at the third. So the best two can meet in the final only.

Who goes on is decided by the points over `blocks` blocks. While the last that would go on and the
first that would not are level, further blocks are played one by one; after MOST_EXTRA_BLOCKS the
better seeded goes on, and the record says so.

Ranked by rounds survived (byes included, and the final for its winner); then by the share of the
others that one left behind at one's last table, level ones being half.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from arena.match.score_rule import ScoreRule
from arena.randomness import shuffled
from arena.scheduling.knockout import MOST_EXTRA_BLOCKS, Decided, Decision
from arena.scheduling.pairings import (
    FormatError,
    Line,
    Number,
    Pairing,
    Played,
    blocks_by_entry,
    ranked,
    schedule_randomness,
)
from arena.scheduling.scoring import points, ranks


@dataclass(frozen=True, slots=True)
class Stage:
    """What a round looks like."""

    byes: int
    """None but in the first round."""
    through: tuple[int, ...]
    """By table, how many go on."""

    @property
    def survivors(self) -> int:
        """How many are left after it."""
        return self.byes + sum(self.through)


def stages(field: int, seats: int) -> tuple[Stage, ...]:
    """The rounds of so many bots, at least as many as a table has seats; the last is the final."""
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
class TableKnockout:
    """A knockout of `field` bots. A Format."""

    seats: int
    blocks: int
    field: int
    seed: str

    tie_breaks = ("last table",)

    def check(self, field: int) -> None:
        if field < self.seats:
            raise FormatError(f"a table of {self.seats} needs at least {self.seats} bots")

    def through(self, pairing: Pairing) -> int:
        """How many go on from it."""
        if pairing.is_bye:
            return 1
        return stages(self.field, self.seats)[pairing.round - 1].through[pairing.table - 1]

    def blocks_wanted(self, played: Played) -> int:
        if played.pairing.is_bye:
            return 0
        for count in range(self.blocks, self.blocks + MOST_EXTRA_BLOCKS):
            if len(played.blocks) < count or not self._level(played, count):
                return count
        return self.blocks + MOST_EXTRA_BLOCKS

    def decided(self, played: Played) -> Decided | None:
        """Who goes on, best first, and why; None while blocks are awaited."""
        if played.pairing.is_bye:
            return Decided(played.pairing.entries, Decision.BYE)
        count = self.blocks_wanted(played)
        if len(played.blocks) < count:
            return None
        by = Decision.POINTS if count == self.blocks else Decision.EXTRA_BLOCKS
        if self._level(played, count):
            by = Decision.SEEDING
        total = dict(zip(played.pairing.entries, played.total(count), strict=True))
        order = sorted(total, key=lambda entry: (-total[entry], entry))
        return Decided(tuple(order[: self.through(played.pairing)]), by)

    def next_pairings(self, field: int, played: Sequence[Played]) -> tuple[Pairing, ...] | None:
        if not played:
            return self._round(1, range(1, field + 1))
        decided = [self.decided(one) for one in played]
        if None in decided:
            return ()
        last = max(one.pairing.round for one in played)
        if last == len(stages(self.field, self.seats)):
            return None
        left = [
            entry
            for one, how in zip(played, decided, strict=True)
            if one.pairing.round == last and how is not None
            for entry in how.through
        ]
        return self._round(last + 1, sorted(left))

    def standings(self, field: int, played: Sequence[Played]) -> tuple[Line, ...]:
        survived: dict[Number, Fraction] = {}
        last_table: dict[Number, Fraction] = {}
        for one in sorted(played, key=lambda one: one.pairing.round):
            decided = self.decided(one)
            if decided is None:
                continue
            for entry in decided.through:
                survived[entry] = survived.get(entry, Fraction(0)) + 1
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

    def _level(self, played: Played, count: int) -> bool:
        """Whether the last that would go on and the first that would not have as many points."""
        order = sorted(played.total(count), reverse=True)
        through = self.through(played.pairing)
        return order[through - 1] == order[through]

    def _round(self, number: int, left: Sequence[Number]) -> tuple[Pairing, ...]:
        """The pairings of those that are left, best seeded first."""
        stage = stages(self.field, self.seats)[number - 1]
        byes, playing = left[: stage.byes], left[stage.byes :]
        tables = len(stage.through)
        seated: list[list[Number]] = [[] for _ in range(tables)]
        for at in range(0, len(playing), tables):
            row = playing[at : at + tables]
            for table, entry in zip(
                seated, reversed(row) if at // tables % 2 else row, strict=True
            ):
                table.append(entry)
        randomness = schedule_randomness(self.seed)
        return tuple(
            Pairing(
                number, table, shuffled(randomness, f"round {number} table {table}", tuple(entries))
            )
            for table, entries in enumerate([*seated, *([entry] for entry in byes)], start=1)
        )
