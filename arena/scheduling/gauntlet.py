"""The gauntlet format: one bot, the first of the field, meets all others.

With two seats it meets each of the others once per cycle. With more, the others are placed on a
circle and each run of neighbours that fills a table meets it: every opponent sits at equally many
tables. Ranking is by the mean points of a block, since the first bot plays more blocks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.randomness import shuffled
from arena.scheduling.paired_at_start import PairedAtStart
from arena.scheduling.pairings import (
    Pairing,
    PlayedPairing,
    Standing,
    blocks_by_entry,
    divided,
    points_by_entry,
    ranked,
    schedule_randomness,
    seated,
)

CHALLENGER = 1
"""The entry that meets all others."""


@dataclass(frozen=True, slots=True)
class Gauntlet(PairedAtStart):
    """A gauntlet of `cycles` cycles. A Format."""

    tie_breaks = ()
    pairs_ahead = False

    def standings(self, field: int, played: Sequence[PlayedPairing]) -> tuple[Standing, ...]:
        blocks = blocks_by_entry(played)
        return ranked(field, divided(points_by_entry(played), blocks), lambda _: (), blocks)

    def expected_blocks(self, field: int) -> int:
        return len(self._tables(field)) * self.cycles * self.blocks

    def _tables(self, field: int) -> list[tuple[int, ...]]:
        """Return the tables of one cycle, as positions among the opponents, from 0."""
        opponents = field - 1
        runs = {
            tuple(sorted((start + at) % opponents for at in range(self.seats - 1))): start
            for start in range(opponents)
        }
        return sorted(runs, key=runs.__getitem__)

    def _pairings(self, field: int) -> tuple[Pairing, ...]:
        randomness = schedule_randomness(self.seed)
        found = []
        for cycle in range(1, self.cycles + 1):
            order = shuffled(randomness, f"cycle {cycle} order", range(2, field + 1))
            for table, opponents in enumerate(self._tables(field), start=1):
                entries = (CHALLENGER, *(order[at] for at in opponents))
                found.append(seated(randomness, cycle, table, entries))
        return tuple(found)
