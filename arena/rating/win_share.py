"""Win shares: how often a bot comes first, per table size, which an Elo over pairs does not show.

Counts are integers, so counting match by match and all at once gives the same values.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from arena.match.result import shared_places
from arena.rating.elo import FloatArray, IntArray
from arena.rating.head_to_head import wilson
from arena.rating.results import BotT, MatchColumns, MatchResult, Results


@dataclass(frozen=True, slots=True, eq=False)
class WinShares(Generic[BotT]):
    """The win shares at one table size; arrays (K,) follow `bots`. Some bots may have 0 matches."""

    seats: int
    bots: tuple[BotT, ...]
    matches: IntArray
    firsts: FloatArray
    """First places; one shared by n bots counts 1/n for each."""
    share: FloatArray
    """firsts / matches; NaN without matches. 1 / seats is average."""
    low: FloatArray
    high: FloatArray
    """95 % Wilson interval of the share."""
    mean_placing: FloatArray
    """1 is best; tied bots get the mean of the places they share. NaN without matches."""


class WinCounts(Generic[BotT]):
    """Counts of first places and sums of places of every bot, per table size.

    `bots` fixes the order of the first bots, as the tables of a log need; new bots follow.
    """

    def __init__(self, bots: Iterable[BotT] = ()) -> None:
        self._numbers = {bot: number for number, bot in enumerate(dict.fromkeys(bots))}
        self._sizes: dict[int, IntArray] = {}

    @property
    def bots(self) -> tuple[BotT, ...]:
        """All K bots ever added; every array follows their order."""
        return tuple(self._numbers)

    def add(self, match: MatchResult[BotT]) -> None:
        """Add a match; the cost is proportional to its seats."""
        numbers = [self.index(bot) for bot, _ in match.seats]
        placings = [placing for _, placing in match.seats]
        counts = self._counts(len(placings))
        for number, placing, place in zip(numbers, placings, shared_places(placings), strict=True):
            counts[number, 0] += int(2 * place)
            counts[number, -1] += 1
            if placing == 1:
                counts[number, placings.count(1)] += 1

    def add_table(self, table: MatchColumns) -> None:
        """Add all matches of one table size; its indices must be those of these counts."""
        counts = self._counts(table.seats)
        seated = table.bots.ravel()
        # Seat by seat, because comparing all at once would need `seats` times the memory.
        above = np.zeros(table.placings.shape, np.int64)
        level = np.zeros(table.placings.shape, np.int64)
        for seat in range(table.seats):
            other = table.placings[:, seat, None]
            above += other < table.placings
            level += other == table.placings
        width = counts.shape[1]
        counts[:, -1] += np.bincount(seated, minlength=len(counts))
        places = np.bincount(seated, (2 * above + level + 1).ravel(), minlength=len(counts))
        counts[:, 0] += places.astype(np.int64)
        first = table.placings.ravel() == 1
        keys = seated[first].astype(np.int64) * width + level.ravel()[first]
        counts += np.bincount(keys, minlength=counts.size).reshape(counts.shape)

    def shares(self) -> tuple[WinShares[BotT], ...]:
        """Return the win shares by table size played, ascending."""
        bots = self.bots
        found = []
        for seats in sorted(self._sizes):
            counts = self._counts(seats)[: len(bots)]
            matches = counts[:, -1].copy()
            firsts: FloatArray = counts[:, 1:-1] @ (1.0 / np.arange(1, seats + 1))
            some = np.where(matches > 0, matches, np.nan)
            low, high = wilson(firsts, matches.astype(float))
            placing = counts[:, 0] / 2.0 / some
            found.append(WinShares(seats, bots, matches, firsts, firsts / some, low, high, placing))
        return tuple(found)

    def index(self, bot: BotT) -> int:
        """Return the bot's index in all arrays; a new bot gets the next one."""
        return self._numbers.setdefault(bot, len(self._numbers))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return all counts, without the bots' names, for storage; `of_arrays` reads them."""
        bots = len(self._numbers)
        return {f"places_{seats}": self._counts(seats)[:bots].copy() for seats in self._sizes}

    @classmethod
    def of_arrays(
        cls, bots: Iterable[BotT], arrays: Mapping[str, NDArray[np.generic]]
    ) -> "WinCounts[BotT]":
        """Return the counts that `arrays` stored, for the same bots in the same order."""
        found = cls(bots)
        for name, counts in arrays.items():
            kind, _, seats = name.partition("_")
            if kind == "places":
                found._sizes[int(seats)] = counts.astype(np.int64)
        return found

    def _counts(self, seats: int) -> IntArray:
        """Return, by bot, twice the sum of its places, its shares of first places, its matches."""
        counts = self._sizes.get(seats, np.zeros((0, seats + 2), np.int64))
        missing = len(self._numbers) - len(counts)
        if missing > 0 or seats not in self._sizes:
            counts = self._sizes[seats] = np.pad(counts, ((0, max(8, 2 * missing)), (0, 0)))
        return counts


def win_shares(results: Results[BotT]) -> tuple[WinShares[BotT], ...]:
    """Return the win shares of a log by table size played, ascending."""
    counts = WinCounts(results.bots)
    for table in results.tables:
        counts.add_table(table)
    return counts.shares()
