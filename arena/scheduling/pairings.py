"""What all tournament formats share: pairings, what became of them, and the contract of a format.

A format has no memory and no chance of its own. It is told the size of the field and everything
that was paired and played so far, and answers with what comes next. A tournament is therefore a
fold over its record: whoever has the record, after a restart too, goes on where it was.

Bots are known here by their number in the field, which is their seeding: 1 is the strongest.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeAlias

from arena.randomness import KeyedRandomness

EntryNumber: TypeAlias = int
"""An entry's place in the seeding, from 1."""


class FormatError(ValueError):
    """A format cannot be played by this field; the message says what would be possible."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Bots that meet, or a single one that has a bye."""

    round: int
    """From 1."""
    table: int
    """Within the round, from 1."""
    entries: tuple[EntryNumber, ...]
    """Who, in the order of the first match's seats; a block rotates them through all seats."""

    @property
    def is_bye(self) -> bool:
        """Whether nobody is met."""
        return len(self.entries) == 1


@dataclass(frozen=True, slots=True)
class PlayedPairing:
    """A pairing, and the points of the blocks of it that count so far."""

    pairing: Pairing
    blocks: tuple[tuple[Fraction, ...], ...] = ()
    """Per block, in the order played, the points (0 to 1) in the order of the pairing's entries."""
    absent: frozenset[EntryNumber] = frozenset()
    """Who withdrew: nothing more is played, walkovers stand in for what was missing."""

    def total(self, blocks: int | None = None) -> tuple[Fraction, ...]:
        """Points over the first `blocks` blocks, or all of them, in the order of the entries."""
        counted = self.blocks[:blocks]
        zero = (Fraction(0),) * len(self.pairing.entries)
        return tuple(sum(column, Fraction(0)) for column in zip(zero, *counted, strict=True))


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings."""

    rank: int
    """From 1; bots that nothing tells apart share a rank."""
    entry: EntryNumber
    points: Fraction
    """What the format ranks by first, see there."""
    tie_breaks: tuple[Fraction, ...]
    """What it ranks by next, in its order."""
    blocks: int
    """Blocks played, or won by walkover."""


class Format(Protocol):
    """How a tournament is played. Frozen, and its methods pure functions."""

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """What the tie-breaks of the standings are called."""
        ...

    def check(self, field: int) -> None:
        """Raise FormatError when so many bots cannot play it."""
        ...

    def blocks_wanted(self, played: PlayedPairing) -> int:
        """How many blocks decide this pairing, as far as can be told now. 0 for a bye."""
        ...

    def next_pairings(
        self, field: int, played: Sequence[PlayedPairing], withdrawn: Set[EntryNumber] = frozenset()
    ) -> tuple[Pairing, ...] | None:
        """The pairings to be added to those in `played`; () while results are awaited; None when
        the tournament is over.

        `withdrawn`: who need not be paired any more. What is paired already stays.
        """
        ...

    def standings(self, field: int, played: Sequence[PlayedPairing]) -> tuple[Standing, ...]:
        """All bots, best first."""
        ...

    def expected_blocks(self, field: int) -> int:
        """How many blocks the whole tournament takes, deciding ties apart."""
        ...


def schedule_randomness(seed: str) -> KeyedRandomness:
    """The draws of a schedule: anyone who knows the seed can make them again."""
    return KeyedRandomness(hashlib.sha256(f"schedule {seed}".encode()).digest())


def all_done(plan: Format, played: Iterable[PlayedPairing]) -> bool:
    """Whether every pairing has the blocks it wants."""
    return all(len(one.blocks) >= plan.blocks_wanted(one) for one in played)


def require_full_table(field: int, seats: int) -> None:
    """Raise FormatError unless the field fills a table."""
    if field < seats:
        raise FormatError(f"a table of {seats} needs at least {seats} bots")


def ranked(
    field: int,
    points: Mapping[EntryNumber, Fraction],
    tie_breaks: Callable[[EntryNumber], tuple[Fraction, ...]],
    blocks: Mapping[EntryNumber, int],
) -> tuple[Standing, ...]:
    """The standings by points and then tie-breaks, higher being better."""
    zero = Fraction(0)
    keys = {entry: (points.get(entry, zero), *tie_breaks(entry)) for entry in range(1, field + 1)}
    # sorted is stable: bots that share a rank stand in the order of their seeding.
    order = sorted(keys, key=lambda entry: tuple(-value for value in keys[entry]))
    rank_of: dict[tuple[Fraction, ...], int] = {}
    for place, entry in enumerate(order, start=1):
        rank_of.setdefault(keys[entry], place)
    return tuple(
        Standing(
            rank_of[keys[entry]],
            entry,
            keys[entry][0],
            keys[entry][1:],
            blocks.get(entry, 0),
        )
        for entry in order
    )


def blocks_by_entry(played: Iterable[PlayedPairing]) -> dict[EntryNumber, int]:
    """How many blocks each bot has played."""
    counted: dict[EntryNumber, int] = {}
    for one in played:
        for entry in one.pairing.entries:
            counted[entry] = counted.get(entry, 0) + len(one.blocks)
    return counted


def points_by_entry(played: Iterable[PlayedPairing]) -> dict[EntryNumber, Fraction]:
    """The points of all blocks of each bot."""
    summed: dict[EntryNumber, Fraction] = {}
    for one in played:
        for entry, total in zip(one.pairing.entries, one.total(), strict=True):
            summed[entry] = summed.get(entry, Fraction(0)) + total
    return summed
