"""Base class of formats that pair everything in advance."""

from abc import ABC, abstractmethod
from collections.abc import Sequence, Set
from dataclasses import dataclass

from arena.scheduling.pairings import EntryNumber, Pairing, PlayedPairing, require_full_table


@dataclass(frozen=True, slots=True)
class PairedAtStart(ABC):
    """A format that plays a list of tables `cycles` times. Implements most of Format."""

    seats: int
    blocks: int
    cycles: int
    seed: str

    def check(self, field: int) -> None:
        require_full_table(field, self.seats)

    def made_together(self, pairing: Pairing) -> bool:
        del pairing
        return True

    def blocks_wanted(self, played: PlayedPairing) -> int:
        del played
        return self.blocks

    def next_pairings(
        self, field: int, played: Sequence[PlayedPairing], withdrawn: Set[EntryNumber] = frozenset()
    ) -> tuple[Pairing, ...] | None:
        del withdrawn
        if not played:
            return self._pairings(field)
        done = all(len(one.blocks) >= self.blocks for one in played)
        return None if done else ()

    @abstractmethod
    def _pairings(self, field: int) -> tuple[Pairing, ...]:
        """Return all pairings of the tournament."""
