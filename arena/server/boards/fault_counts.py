"""Counts of faults and forfeits by version, which a board keeps with its results."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.rating.elo import IntArray
from arena.records import VersionId

TROUBLED: Final = np.dtype(
    [("number", np.int64), ("bot", np.int32), ("faults", np.int32), ("forfeits", np.int32)]
)
"""A seat with faults or a forfeit: its match and its bot by their indices, as in LogColumns."""


@dataclass(frozen=True, slots=True)
class FaultCounts:
    """A version's faults and forfeits on a ladder, in the matches that count."""

    faults: int
    faulty_matches: int
    """The number of its matches with a fault of this version."""
    forfeits: int


class FaultColumns:
    """The fault counts of every bot of a board, by index."""

    def __init__(self) -> None:
        self._counts: IntArray = np.zeros((0, 3), np.int64)

    def add(self, bots: IntArray, seats: NDArray[Any]) -> None:
        """Add seats of TROUBLED, whose bots have the indices `bots` on the board."""
        if not len(seats):
            return
        missing = max(0, int(bots.max()) + 1 - len(self._counts))
        self._counts = np.pad(self._counts, ((0, missing), (0, 0)))
        columns = (seats["faults"], seats["faults"] > 0, seats["forfeits"])
        for at, column in enumerate(columns):
            np.add.at(self._counts[:, at], bots, column.astype(np.int64))

    def by_version(self, versions: Sequence[VersionId]) -> dict[VersionId, FaultCounts]:
        """Return the fault counts of the board's versions that had any."""
        return {
            versions[at]: FaultCounts(*self._counts[at].tolist())
            for at in np.flatnonzero(self._counts.any(axis=1)).tolist()
        }

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return all counts, to be stored; `of_array` reads them."""
        return {"troubles": self._counts}

    @classmethod
    def of_array(cls, counts: NDArray[np.generic]) -> "FaultColumns":
        """Return the counts of the array."""
        found = cls()
        found._counts = counts.astype(np.int64)
        return found
