"""How often a bot comes first, per table size: what an Elo over all pairs does not show."""

from dataclasses import dataclass
from typing import Generic

import numpy as np

from arena.rating.elo import FloatArray, IntArray
from arena.rating.head_to_head import wilson
from arena.rating.results import BotT, Results


@dataclass(frozen=True, slots=True, eq=False)
class WinShares(Generic[BotT]):
    """One table size; arrays (K,) follow `bots`. Bots that never sat at it have 0 matches."""

    seats: int
    bots: tuple[BotT, ...]
    matches: IntArray
    firsts: FloatArray
    """First places; one shared by n bots is 1/n for each."""
    share: FloatArray
    """firsts / matches; NaN without matches. 1 / seats is average."""
    low: FloatArray
    high: FloatArray
    """95 % Wilson interval of the share."""
    mean_placing: FloatArray
    """1 is best; ties share the mean of the places they fill. NaN without matches."""


def win_shares(results: Results[BotT]) -> tuple[WinShares[BotT], ...]:
    """One entry per table size that was played, ascending."""
    bots = results.bots
    found = []
    for table in results.tables:
        seated = table.bots.ravel()
        first = table.placings == 1
        shares = first / first.sum(axis=1, keepdims=True)
        above = (table.placings[:, None, :] < table.placings[:, :, None]).sum(axis=2)
        level = (table.placings[:, None, :] == table.placings[:, :, None]).sum(axis=2)
        places = above + (level + 1) / 2.0
        matches = np.bincount(seated, minlength=len(bots))
        firsts: FloatArray = np.bincount(seated, shares.ravel(), minlength=len(bots)).astype(float)
        total = np.bincount(seated, places.ravel(), minlength=len(bots))
        low, high = wilson(firsts, matches.astype(float))
        some = np.where(matches > 0, matches, np.nan)
        found.append(
            WinShares(table.seats, bots, matches, firsts, firsts / some, low, high, total / some)
        )
    return tuple(found)
