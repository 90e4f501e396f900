"""The groups format: round robins in groups, then a knockout of the best of each group.

Groups: the field is dealt in a serpentine by its seeding, so groups are of equal size or differ by
one: of three groups 1, 6, 7 are the first, 2, 5, 8 the second, 3, 4, 9 the third. Each is a round
robin (see `round_robin`). A group is ranked by points per block, then by direct encounter, then by
the seeding; so every place in it is decided, also at the edge.

Knockout: the best `advance` of each group go on. For the first round they are seeded by their place
in the group, then by points per block there, then by the original seeding. With two seats, bots of
one group that would meet in the first round are kept apart: the lower seeded changes places with
the nearest of the same place. From then on it is a knockout as any other (see `knockout` and
`knockout_tables`), in which equals are decided by the original seeding.

A bot that withdraws before the knockout is paired is replaced by the next of its group, or else by
the best of the other groups. If fewer are left than the knockout takes, the groups decide.

Ranking is by rounds of the knockout survived, then by the place in the group, then by points per
block in the group, then by the seeding. Every place is given once.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction

from arena.scheduling.knockout import Decided, Knockout, first_round
from arena.scheduling.knockout_tables import TableKnockout, serpentine
from arena.scheduling.pairings import (
    EntryNumber,
    FormatError,
    Pairing,
    PlayedPairing,
    Standing,
    all_done,
    blocks_by_entry,
)
from arena.scheduling.round_robin import RoundRobin, refuse_too_many

USUAL_SIZE = 4
"""The least number of bots in a group, if the number of groups is not given."""
USUAL_ADVANCE = 2
"""The most bots of a group that go on, if the number is not given."""


def smallest_group(seats: int, advance: int | None) -> int:
    """Return the fewest bots of a group of which `advance` go on, at least one."""
    return max(seats, (advance or 1) + 1)


def usual_groups(field: int, seats: int, advance: int | None) -> int:
    """Return the number of groups if none is given.

    It is a power of two, so that the bracket needs no byes, with groups of at least USUAL_SIZE; or
    two smaller groups, or one.
    """
    least = smallest_group(seats, advance)
    groups = 2 if field >= 2 * least else 1
    while field >= 2 * groups * max(USUAL_SIZE, least):
        groups *= 2
    return groups


def usual_advance(field: int, seats: int, groups: int) -> int:
    """Return how many bots of a group go on if the number is not given.

    It is half of the smallest group, but at most USUAL_ADVANCE, and enough to fill a table.
    """
    return max(min(USUAL_ADVANCE, field // groups // 2), -(-seats // groups))


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of a field of `field` bots, then a knockout. A Format."""

    seats: int
    blocks: int
    cycles: int
    field: int
    groups: int
    advance: int
    """The number of bots of each group that go on."""
    seed: str

    tie_breaks = ("place in group", "points per block in group")
    pairs_ahead = False

    def check(self, field: int) -> None:
        least = smallest_group(self.seats, self.advance)
        if self.groups * self.advance < self.seats:
            raise FormatError(
                f"{self.groups * self.advance} bots go on from the groups, and a table has "
                f"{self.seats} seats"
            )
        if field < self.groups * least:
            raise FormatError(
                f"{field} bots are too few for {self.groups} groups: if {self.advance} of each go "
                f"on, at tables of {self.seats}, each has at least {least}"
            )
        refuse_too_many(self.expected_blocks(field))

    @property
    def members(self) -> list[list[EntryNumber]]:
        """The bots of each group, best seeded first."""
        return serpentine(range(1, self.field + 1), self.groups)

    @property
    def group_rounds(self) -> int:
        """The number of rounds before the knockout."""
        largest = -(-self.field // self.groups)
        return self.cycles * (largest - 1 + largest % 2 if self.seats == 2 else 1)

    def in_groups(self, pairing: Pairing) -> bool:
        """Return whether a pairing is one of a group."""
        return pairing.round <= self.group_rounds

    def group_of(self, pairing: Pairing) -> str:
        """Return the name of the group of a pairing in the groups."""
        (number,) = (at for at, group in enumerate(self.members) if pairing.entries[0] in group)
        return group_name(number)

    def made_together(self, pairing: Pairing) -> bool:
        return self.in_groups(pairing)

    def blocks_wanted(self, played: PlayedPairing) -> int:
        if self.in_groups(played.pairing):
            return self.blocks
        return self._knockout.blocks_wanted(self._from_its_start(played))

    def decided(self, played: PlayedPairing) -> Decided | None:
        """Return the bots that go on from a pairing of the knockout, best first, and why.

        None while blocks are missing, and in the groups.
        """
        if self.in_groups(played.pairing):
            return None
        return self._knockout.decided(self._from_its_start(played))

    def next_pairings(
        self, field: int, played: Sequence[PlayedPairing], withdrawn: Set[EntryNumber] = frozenset()
    ) -> tuple[Pairing, ...] | None:
        del field
        if not played:
            return self._group_pairings()
        of_knockout = self._played_in_knockout(played)
        if of_knockout:
            taking_part = self.groups * self.advance
            added = self._knockout.next_pairings(taking_part, of_knockout, withdrawn)
        elif not all_done(self, played):
            return ()
        elif order := self._qualified(played, withdrawn):
            added = self._knockout.begin(order, withdrawn)
        else:
            return None
        return None if added is None else tuple(self._after_groups(one) for one in added)

    def group_standings(self, played: Sequence[PlayedPairing]) -> list[tuple[Standing, ...]]:
        """Return the table of each group, best first; every place is given once."""
        members = self.members
        group_of = {entry: at for at, group in enumerate(members) for entry in group}
        by_group: list[list[PlayedPairing]] = [[] for _ in members]
        for one in played:
            if self.in_groups(one.pairing):
                by_group[group_of[one.pairing.entries[0]]].append(one)
        return [
            self._table(number, group, by_group[number]) for number, group in enumerate(members)
        ]

    def standings(self, field: int, played: Sequence[PlayedPairing]) -> tuple[Standing, ...]:
        tables = self.group_standings(played)
        survived = {
            line.entry: line.points
            for line in self._knockout.standings(field, self._played_in_knockout(played))
        }
        in_group = {line.entry: line for table in tables for line in table}
        order = sorted(in_group.values(), key=lambda line: (-survived[line.entry], *_merit(line)))
        blocks = blocks_by_entry(played)
        return tuple(
            Standing(
                rank,
                line.entry,
                survived[line.entry],
                survived[line.entry],
                (Fraction(line.rank), line.mean),
                blocks.get(line.entry, 0),
            )
            for rank, line in enumerate(order, start=1)
        )

    def expected_blocks(self, field: int) -> int:
        in_groups = sum(
            self._round_robin(number).expected_blocks(len(group))
            for number, group in enumerate(serpentine(range(field), self.groups))
        )
        return in_groups + self._knockout.expected_blocks(self.groups * self.advance)

    @property
    def _knockout(self) -> Knockout | TableKnockout:
        if self.seats == 2:
            return Knockout(self.blocks, self.seed)
        return TableKnockout(self.blocks, self.seed, self.seats, self.groups * self.advance)

    def _round_robin(self, group: int) -> RoundRobin:
        seed = f"{self.seed} group {group_name(group)}"
        return RoundRobin(self.seats, self.blocks, self.cycles, seed)

    def _group_pairings(self) -> tuple[Pairing, ...]:
        """Return the pairings of all groups, numbered by round over all groups."""
        by_round: dict[int, list[tuple[EntryNumber, ...]]] = {}
        for number, group in enumerate(self.members):
            for one in self._round_robin(number).next_pairings(len(group), []) or ():
                entries = tuple(group[at - 1] for at in one.entries)
                by_round.setdefault(one.round, []).append(entries)
        return tuple(
            Pairing(round_, table, entries)
            for round_, tables in sorted(by_round.items())
            for table, entries in enumerate(tables, start=1)
        )

    def _table(
        self, number: int, group: Sequence[EntryNumber], played: Iterable[PlayedPairing]
    ) -> tuple[Standing, ...]:
        """Return the table of one group; `played` are its pairings."""
        place = {entry: at for at, entry in enumerate(group, start=1)}
        local = [
            replace(
                one,
                pairing=replace(
                    one.pairing, entries=tuple(place[entry] for entry in one.pairing.entries)
                ),
            )
            for one in played
        ]
        lines = self._round_robin(number).standings(len(group), local)
        return tuple(
            replace(line, rank=rank, entry=group[line.entry - 1])
            for rank, line in enumerate(lines, start=1)
        )

    def _qualified(
        self, played: Sequence[PlayedPairing], withdrawn: Set[EntryNumber]
    ) -> list[EntryNumber]:
        """Return the bots of the knockout, best seeded first; none if too few are left."""
        tables = [
            [line for line in table if line.entry not in withdrawn]
            for table in self.group_standings(played)
        ]
        qualified = [line for table in tables for line in table[: self.advance]]
        others = [line for table in tables for line in table[self.advance :]]
        wanted = self.groups * self.advance
        qualified += sorted(others, key=_merit)[: wanted - len(qualified)]
        if len(qualified) < wanted:
            return []
        order = sorted(qualified, key=_merit)
        group_of = {entry: number for number, group in enumerate(self.members) for entry in group}
        if self.seats == 2:
            _keep_apart(order, group_of)
        return [line.entry for line in order]

    def _played_in_knockout(self, played: Iterable[PlayedPairing]) -> list[PlayedPairing]:
        """Return the pairings of the knockout, with rounds counted from its start."""
        return [self._from_its_start(one) for one in played if not self.in_groups(one.pairing)]

    def _from_its_start(self, played: PlayedPairing) -> PlayedPairing:
        pairing = played.pairing
        counted = replace(pairing, round=pairing.round - self.group_rounds)
        return replace(played, pairing=counted)

    def _after_groups(self, pairing: Pairing) -> Pairing:
        return replace(pairing, round=pairing.round + self.group_rounds)


def group_name(number: int) -> str:
    """Return the name of a group, counted from 0: A to Z, then numbers."""
    return chr(ord("A") + number) if number < 26 else str(number + 1)


def _merit(line: Standing) -> tuple[int, Fraction, EntryNumber]:
    """Return the sort key of bots of different groups, the best first."""
    return line.rank, -line.mean, line.entry


def _keep_apart(order: list[Standing], group_of: Mapping[EntryNumber, int]) -> None:
    """Swap bots in `order`, so that no bots of one group meet in the first round.

    It is possible with more than one group, unless bots that withdrew are replaced.
    """
    meeting = {pair[1] - 1: pair[0] - 1 for pair in first_round(len(order)) if len(pair) > 1}

    def group(at: int) -> int:
        return group_of[order[at].entry]

    for lower, upper in sorted(meeting.items()):
        if group(lower) != group(upper):
            continue
        for other in sorted(meeting, key=lambda at: (abs(at - lower), at)):
            if (
                order[other].rank == order[lower].rank
                and group(other) != group(upper)
                and group(lower) != group(meeting[other])
            ):
                order[lower], order[other] = order[other], order[lower]
                break
