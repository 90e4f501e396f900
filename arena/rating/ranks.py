"""Ranks as ranges, and bands of bots that cannot be told apart.

A rank as a single number claims more than a luck-heavy game can tell. i is *told apart* from j
when the 95 % interval of their difference leaves out 0, each pair by itself (no correction for the
many pairs of a large pool: about one true tie in twenty is told apart by luck).
"""

from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from arena.rating.elo import IntArray
from arena.rating.intervals import SAME, Intervals
from arena.rating.results import BotT


@dataclass(frozen=True, slots=True)
class Band(Generic[BotT]):
    """Neighbours on the ladder, best first."""

    bots: tuple[BotT, ...]


def better(intervals: Intervals[BotT]) -> NDArray[np.bool_]:
    """(K, K): whether i is told apart from j, and above it."""
    above: NDArray[np.bool_] = intervals.difference_low > SAME
    return above


def rank_ranges(intervals: Intervals[BotT]) -> tuple[IntArray, IntArray]:
    """(lowest, highest rank number) per bot (K,), 1 is best.

    rank_low = 1 + bots that are better than it; rank_high = K - bots that it is better than.
    """
    above = better(intervals)
    return 1 + above.sum(axis=0), len(above) - above.sum(axis=1)


def ladder_order(intervals: Intervals[BotT]) -> IntArray:
    """Indices of the bots, best first; bots with equal ratings in the order of their names."""
    names = np.array([str(bot) for bot in intervals.fit.bots])
    # Rounded, so that a difference in the sixteenth digit does not decide who stands first.
    return np.lexsort((names, -np.round(intervals.fit.elo, 9))).astype(np.int64)


def bands(intervals: Intervals[BotT]) -> tuple[Band[BotT], ...]:
    """The longest runs on the ladder whose first bot cannot be told apart from their last.

    Two bots that cannot be told apart share a band. "Cannot be told apart" does not carry over
    from neighbour to neighbour, so bands overlap, like the letters of a multiple comparison.
    """
    order = ladder_order(intervals)
    above = better(intervals)[np.ix_(order, order)]
    bots = [intervals.fit.bots[index] for index in order]
    found = []
    reached = 0
    for first in range(len(bots)):
        last = int(np.flatnonzero(~above[first])[-1])
        if last >= reached:
            found.append(Band(tuple(bots[first : last + 1])))
            reached = last + 1
    return tuple(found)
