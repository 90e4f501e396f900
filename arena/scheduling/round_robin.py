"""The round-robin format: all bots meet each other.

Two seats: the circle method. In every cycle each pair meets exactly once; in each round every bot
plays once, and when the field is odd one bot sits out, each bot once per cycle.

More seats: a balanced list of tables (see `arena.scheduling.balanced_tables`). In every cycle each
bot sits at equally many tables and each pair meets at least once; where all possible tables are
played, each pair meets equally often.

For every table size, a block rotates its bots through all seats, so each bot has every seat equally
often. Ranking is by points per block, which at the end is the order by points, since all have
played the same number of blocks; then by points against the bots that are level.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from arena.randomness import shuffled
from arena.scheduling.balanced_tables import balanced_tables, table_count
from arena.scheduling.paired_at_start import PairedAtStart
from arena.scheduling.pairings import (
    EntryNumber,
    FormatError,
    Pairing,
    PlayedPairing,
    Standing,
    blocks_by_entry,
    divided,
    points_by_entry,
    ranked,
    require_full_table,
    schedule_randomness,
    seated,
)

MOST_TABLES = 100_000
"""The most blocks of a whole tournament: few enough to list in memory."""


@dataclass(frozen=True, slots=True)
class RoundRobin(PairedAtStart):
    """A round robin of `cycles` cycles. A Format."""

    tie_breaks = ("direct encounter",)
    pairs_ahead = False

    def check(self, field: int) -> None:
        require_full_table(field, self.seats)
        refuse_too_many(self.expected_blocks(field))

    def standings(self, field: int, played: Sequence[PlayedPairing]) -> tuple[Standing, ...]:
        points, blocks = points_by_entry(played), blocks_by_entry(played)
        means = divided(points, blocks)
        among_level = points_by_entry(
            one for one in played if len({means[entry] for entry in one.pairing.entries}) == 1
        )
        return ranked(
            field, points, lambda entry: (among_level.get(entry, Fraction(0)),), blocks, means
        )

    def expected_blocks(self, field: int) -> int:
        tables = field * (field - 1) // 2 if self.seats == 2 else table_count(field, self.seats)
        return tables * self.cycles * self.blocks

    def _pairings(self, field: int) -> tuple[Pairing, ...]:
        randomness = schedule_randomness(self.seed)
        found: list[Pairing] = []
        for cycle in range(1, self.cycles + 1):
            order = shuffled(randomness, f"cycle {cycle} order", range(1, field + 1))
            if self.seats == 2:
                rounds = circle(order)
            else:
                # One round, because the order of these tables does not matter.
                rounds = [
                    [
                        tuple(order[at] for at in table)
                        for table in balanced_tables(field, self.seats)
                    ]
                ]
            before = found[-1].round if found else 0
            found += (
                seated(randomness, before + number, table, entries)
                for number, tables in enumerate(rounds, start=1)
                for table, entries in enumerate(tables, start=1)
            )
        return tuple(found)


def refuse_too_many(blocks: int) -> None:
    """Raise FormatError if a tournament takes more than MOST_TABLES blocks."""
    if blocks > MOST_TABLES:
        raise FormatError(
            f"this takes {blocks} blocks, and {MOST_TABLES} is the most: choose fewer bots, blocks "
            "or rounds"
        )


def circle(order: Sequence[EntryNumber]) -> list[list[tuple[EntryNumber, ...]]]:
    """Return the rounds in which each two of `order` meet once, and no bot plays twice in a round.

    The first bot stays, the others rotate around it; the bot opposite the gap sits out.
    """
    ring: list[EntryNumber | None] = [*order, *([None] if len(order) % 2 else [])]
    half = len(ring) // 2
    rounds: list[list[tuple[EntryNumber, ...]]] = []
    for _ in range(len(ring) - 1):
        facing = zip(ring[:half], reversed(ring[half:]), strict=True)
        rounds.append(
            [(one, other) for one, other in facing if one is not None and other is not None]
        )
        ring[1:] = [ring[-1], *ring[1:-1]]
    return rounds
