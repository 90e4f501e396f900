"""The parts that all tournament formats share: pairings, standings and the interface of a format.

A format has no state and no randomness of its own. It gets the size of the field and everything
paired and played so far, and returns the next pairings. A tournament is therefore a fold over its
record and can continue from the record, also after a restart.

Bots are identified by their number in the field, which is their seeding: 1 is the strongest.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeAlias

from arena.randomness import KeyedRandomness, Randomness, shuffled

EntryNumber: TypeAlias = int
"""The seeding of an entry, from 1."""


class FormatError(ValueError):
    """A format cannot be played by this field; the message says what is possible."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Bots that meet, or a single bot with a bye."""

    round: int
    """From 1."""
    table: int
    """Within the round, from 1."""
    entries: tuple[EntryNumber, ...]
    """The bots in the seats of the first match; a block rotates them through all seats."""

    @property
    def is_bye(self) -> bool:
        """Whether it is a single bot without opponents."""
        return len(self.entries) == 1


@dataclass(frozen=True, slots=True)
class PlayedPairing:
    """A pairing and the points of its blocks that count so far."""

    pairing: Pairing
    blocks: tuple[tuple[Fraction, ...], ...] = ()
    """Per block, in the order played, the points (0 to 1) in the order of the pairing's entries."""
    absent: frozenset[EntryNumber] = frozenset()
    """Bots that withdrew: no more blocks are played, and the missing ones are walkovers."""

    def total(self, blocks: int | None = None) -> tuple[Fraction, ...]:
        """Return the points over the first `blocks` blocks, or all, in the order of the entries."""
        counted = self.blocks[:blocks]
        zero = (Fraction(0),) * len(self.pairing.entries)
        return tuple(sum(column, Fraction(0)) for column in zip(zero, *counted, strict=True))


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings."""

    rank: int
    """From 1; bots with equal points and tie-breaks share a rank."""
    entry: EntryNumber
    points: Fraction
    """Defined by the format."""
    mean: Fraction
    """The first ranking criterion: the points divided by the blocks (or rounds) they were scored
    in, so that no bot is ahead by having played more; in some formats the points themselves."""
    tie_breaks: tuple[Fraction, ...]
    """The next criteria, in the format's order."""
    blocks: int
    """Blocks played, or won by walkover."""


class Format(Protocol):
    """A tournament format. Frozen; its methods are pure functions."""

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """The names of the tie-breaks in the standings."""
        ...

    @property
    def pairs_ahead(self) -> bool:
        """Whether it may add pairings while others are being decided."""
        ...

    def check(self, field: int) -> None:
        """Raise FormatError if a field of `field` bots cannot play it."""
        ...

    def made_together(self, pairing: Pairing) -> bool:
        """Return whether a bot may be paired again before this pairing is decided."""
        ...

    def blocks_wanted(self, played: PlayedPairing) -> int:
        """Return the number of blocks that decide this pairing, as known now; 0 for a bye."""
        ...

    def next_pairings(
        self, field: int, played: Sequence[PlayedPairing], withdrawn: Set[EntryNumber] = frozenset()
    ) -> tuple[Pairing, ...] | None:
        """Return the pairings to add to those in `played`; () while results are missing.

        None when the tournament is over.

        `withdrawn`: bots that need no new pairings. Existing pairings stay.
        """
        ...

    def standings(self, field: int, played: Sequence[PlayedPairing]) -> tuple[Standing, ...]:
        """Return the standings of all bots, best first."""
        ...

    def expected_blocks(self, field: int) -> int:
        """Return the number of blocks of the whole tournament, without extra blocks for ties."""
        ...


def schedule_randomness(seed: str) -> KeyedRandomness:
    """Return the randomness of a schedule, determined by its seed."""
    return KeyedRandomness(hashlib.sha256(f"schedule {seed}".encode()).digest())


def seated(
    randomness: Randomness, round_: int, table: int, entries: Sequence[EntryNumber]
) -> Pairing:
    """Return the pairing of a table, its seats drawn by a schedule's randomness."""
    return Pairing(round_, table, shuffled(randomness, f"round {round_} table {table}", entries))


def all_done(plan: Format, played: Iterable[PlayedPairing]) -> bool:
    """Return whether every pairing has all blocks that decide it."""
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
    means: Mapping[EntryNumber, Fraction] | None = None,
) -> tuple[Standing, ...]:
    """Return the standings by means (by default of points) and then tie-breaks.

    Higher is better.
    """
    zero = Fraction(0)
    means = points if means is None else means
    keys = {entry: (means.get(entry, zero), *tie_breaks(entry)) for entry in range(1, field + 1)}
    # sorted is stable: bots that share a rank stay in the order of their seeding.
    order = sorted(keys, key=lambda entry: tuple(-value for value in keys[entry]))
    rank_of: dict[tuple[Fraction, ...], int] = {}
    for place, entry in enumerate(order, start=1):
        rank_of.setdefault(keys[entry], place)
    return tuple(
        Standing(
            rank_of[keys[entry]],
            entry,
            points.get(entry, zero),
            keys[entry][0],
            keys[entry][1:],
            blocks.get(entry, 0),
        )
        for entry in order
    )


def blocks_by_entry(played: Iterable[PlayedPairing]) -> dict[EntryNumber, int]:
    """Return the number of blocks played by each bot."""
    counted: dict[EntryNumber, int] = {}
    for one in played:
        for entry in one.pairing.entries:
            counted[entry] = counted.get(entry, 0) + len(one.blocks)
    return counted


def divided(
    points: Mapping[EntryNumber, Fraction], by: Mapping[EntryNumber, int]
) -> dict[EntryNumber, Fraction]:
    """Return each bot's points divided by its blocks (or rounds) in `by`; 0 without any."""
    return {
        entry: total / by[entry] if by.get(entry) else Fraction(0)
        for entry, total in points.items()
    }


def points_by_entry(played: Iterable[PlayedPairing]) -> dict[EntryNumber, Fraction]:
    """Return the points of all blocks of each bot."""
    summed: dict[EntryNumber, Fraction] = {}
    for one in played:
        for entry, total in zip(one.pairing.entries, one.total(), strict=True):
            summed[entry] = summed.get(entry, Fraction(0)) + total
    return summed
