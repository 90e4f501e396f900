"""The knockout format with two seats: the loser of a pairing is out. See also `knockout_tables`.

The bracket is the usual one: 1 and 2 can meet only in the final, 1 to 4 only in the semi-finals,
and so on. If the field is not a power of two, the best seeded have a bye in the first round.

A pairing is decided by its points over `blocks` blocks. While they are equal, extra blocks are
played one by one; after MOST_EXTRA_BLOCKS the better seeded goes on, and the record says so. Extra
blocks are never walkovers: a bot that withdraws at equal points loses.

Ranking is by pairings won (including byes), so all that lost in one round share a rank.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from arena.scheduling.pairings import (
    EntryNumber,
    FormatError,
    Pairing,
    PlayedPairing,
    Standing,
    blocks_by_entry,
    ranked,
    schedule_randomness,
    seated,
)

MOST_EXTRA_BLOCKS = 5
"""The most extra blocks; bots that are still level after them count as equally strong."""


class Decision(Enum):
    """The reason that decided a pairing."""

    BYE = "bye"
    POINTS = "points"
    EXTRA_BLOCKS = "extra blocks"
    SEEDING = "seeding"
    WALKOVER = "walkover"
    """The points were equal when one of them withdrew."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The outcome of a decided pairing."""

    through: tuple[EntryNumber, ...]
    """The bots that go on, best first; one with two seats."""
    by: Decision

    @property
    def winner(self) -> EntryNumber:
        """The best bot of those that go on."""
        return self.through[0]


@dataclass(frozen=True, slots=True)
class Elimination(ABC):
    """Base class of the knockouts: points decide a pairing. Implements most of Format."""

    blocks: int
    seed: str

    def made_together(self, pairing: Pairing) -> bool:
        del pairing
        return False

    def blocks_wanted(self, played: PlayedPairing) -> int:
        """Return the number of blocks that decide a pairing, as known now; 0 for a bye.

        These are the planned blocks, and extra ones while the bots are level, until there are
        MOST_EXTRA_BLOCKS or a bot withdraws.
        """
        if played.pairing.is_bye:
            return 0
        known = len(played.blocks)
        most = self.blocks + MOST_EXTRA_BLOCKS
        for count in range(self.blocks, most):
            if (
                known < count
                or not self._level(played, count)
                or (played.absent and known == count)
            ):
                return count
        return most

    def decided(self, played: PlayedPairing) -> Decided | None:
        """Return the bots that go on, best first, and why; None while blocks are missing."""
        if played.pairing.is_bye:
            return Decided(played.pairing.entries, Decision.BYE)
        count = self.blocks_wanted(played)
        if len(played.blocks) < count:
            return None
        by = self._decision(played, count)
        total = dict(zip(played.pairing.entries, played.total(count), strict=True))
        gone = played.absent if by is Decision.WALKOVER else ()
        order = sorted(total, key=lambda entry: (-total[entry], entry in gone, entry))
        return Decided(tuple(order[: self._through(played.pairing)]), by)

    @abstractmethod
    def _through(self, pairing: Pairing) -> int:
        """Return the number of bots that go on from a pairing that is no bye."""

    def _level(self, played: PlayedPairing, count: int) -> bool:
        """Return whether the last bot to go on and the first to drop out have equal points."""
        order = sorted(played.total(count), reverse=True)
        through = self._through(played.pairing)
        return order[through - 1] == order[through]

    def _decision(self, played: PlayedPairing, count: int) -> Decision:
        """Return the reason that decided a pairing of `count` blocks."""
        if not self._level(played, count):
            return Decision.POINTS if count == self.blocks else Decision.EXTRA_BLOCKS
        played_off = count == self.blocks + MOST_EXTRA_BLOCKS
        return Decision.SEEDING if played_off or not played.absent else Decision.WALKOVER


@dataclass(frozen=True, slots=True)
class Knockout(Elimination):
    """A knockout bracket with two seats. A Format."""

    tie_breaks = ()
    pairs_ahead = True

    def check(self, field: int) -> None:
        if field < 2:
            raise FormatError("a knockout needs at least 2 bots")

    def next_pairings(
        self, field: int, played: Sequence[PlayedPairing], withdrawn: Set[EntryNumber] = frozenset()
    ) -> tuple[Pairing, ...] | None:
        if not played:
            return self.begin(range(1, field + 1), withdrawn)
        winners = self._winners(played)
        rounds = len(_bracket(field)).bit_length() - 1
        if (rounds, 1) in winners:
            return None
        paired = {(one.pairing.round, one.pairing.table) for one in played}
        ready = sorted(
            (round_ + 1, (table + 1) // 2)
            for round_, table in winners
            if table % 2 and (round_, table + 1) in winners
        )
        return tuple(
            self._pairing(
                round_, table, (winners[round_ - 1, 2 * table - 1], winners[round_ - 1, 2 * table])
            )
            for round_, table in ready
            if (round_, table) not in paired
        )

    def begin(
        self, order: Sequence[EntryNumber], withdrawn: Set[EntryNumber]
    ) -> tuple[Pairing, ...]:
        """Return the first round of these bots, best seeded first."""
        del withdrawn  # the opponent has a walkover, and the bracket stays as it is
        return tuple(
            self._pairing(1, table, tuple(order[place - 1] for place in places))
            for table, places in enumerate(first_round(len(order)), start=1)
        )

    def standings(self, field: int, played: Sequence[PlayedPairing]) -> tuple[Standing, ...]:
        won: dict[EntryNumber, Fraction] = {}
        for winner in self._winners(played).values():
            won[winner] = won.get(winner, Fraction(0)) + 1
        return ranked(field, won, lambda _: (), blocks_by_entry(played))

    def expected_blocks(self, field: int) -> int:
        return (field - 1) * self.blocks

    def _winners(self, played: Sequence[PlayedPairing]) -> dict[tuple[int, int], EntryNumber]:
        """Return the winners of the decided pairings by (round, table)."""
        return {
            (one.pairing.round, one.pairing.table): decided.winner
            for one in played
            if (decided := self.decided(one)) is not None
        }

    def _pairing(self, round_: int, table: int, entries: tuple[EntryNumber, ...]) -> Pairing:
        return seated(schedule_randomness(self.seed), round_, table, entries)

    def _through(self, pairing: Pairing) -> int:
        del pairing
        return 1


def first_round(field: int) -> list[tuple[EntryNumber, ...]]:
    """Return the pairings of the first round, from the top of the bracket.

    A single bot has a bye.
    """
    bracket = _bracket(field)
    return [
        tuple(sorted(number for number in pair if number <= field))
        for pair in zip(bracket[::2], bracket[1::2], strict=True)
    ]


def _bracket(field: int) -> list[EntryNumber]:
    """Return the seedings from the top of the bracket: neighbours meet, then their winners."""
    order = [1]
    while len(order) < field:
        size = 2 * len(order)
        order = [number for better in order for number in (better, size + 1 - better)]
    return order
