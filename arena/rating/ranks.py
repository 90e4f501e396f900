"""The order of a ladder, rank ranges, and bands of bots that do not differ significantly.

A rank as a single number claims more precision than a game with much luck allows. i and j differ
significantly when the 95 % interval of their difference excludes 0. Each pair is tested alone, with
no correction for the many pairs of a large pool: about one pair of equals in twenty differs by
chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from arena.rating.elo import IntArray
from arena.rating.intervals import SAME, Intervals
from arena.rating.results import BotT


@dataclass(frozen=True, slots=True)
class Band(Generic[BotT]):
    """A run of neighbours on the ladder, best first, that do not differ significantly."""

    bots: tuple[BotT, ...]


def better(intervals: Intervals[BotT]) -> NDArray[np.bool_]:
    """Return (K, K) whether i is significantly better than j."""
    above: NDArray[np.bool_] = intervals.difference_low > SAME
    return above


def rank_ranges(intervals: Intervals[BotT]) -> tuple[IntArray, IntArray]:
    """Return the lowest and the highest rank number of each bot, two arrays (K,); 1 is best.

    Args:
        intervals: Ratings with the errors of their differences.

    Returns:
        1 + the number of bots that are significantly better, and K - the number that are worse.
    """
    above = better(intervals)
    return 1 + above.sum(axis=0), len(above) - above.sum(axis=1)


@dataclass(frozen=True, slots=True)
class LadderPlace:
    """The place of one bot among those that are ranked."""

    rank: int
    """The rank, from 1; for a bot that is not ranked, the rank that it would have."""
    rank_low: int
    """1 + the number of ranked bots that are significantly better."""
    rank_high: int
    """The number of ranked bots, counting this one, minus those that are significantly worse."""
    band: int
    """Its number from `band_numbers` for the ranked bots; if not ranked, that of the bot above."""


def places(
    intervals: Intervals[BotT], order: Sequence[int], ranked: Sequence[bool]
) -> list[LadderPlace]:
    """Return the places of bots where only some of them are ranked.

    Args:
        intervals: The fit with its errors, of all bots.
        order: The bots' indices from `ladder_order`.
        ranked: Whether each of them is ranked, in that order.
    """
    at, counts = np.array(order, np.int64), np.array(ranked, np.bool_)
    above = better(intervals)[np.ix_(at, at)]
    others = counts.sum() - counts
    low = 1 + above[counts].sum(axis=0)
    high = 1 + others - above[:, counts].sum(axis=1)
    rank = np.cumsum(counts) + ~counts
    bands = iter(band_numbers(intervals, at[counts])) if counts.any() else iter(())
    found, band = [], 0
    for one, *numbers in zip(ranked, rank.tolist(), low.tolist(), high.tolist(), strict=True):
        band = next(bands) if one else band
        at_rank, at_least, at_most = numbers
        found.append(LadderPlace(at_rank, at_least, at_most, band))
    return found


def ladder_order(intervals: Intervals[BotT]) -> IntArray:
    """Return the bots' indices (K,): established ones best first, then provisional ones best first.

    Bots with equal ratings are ordered by name.
    """
    best_first = _by_elo(intervals)
    provisional = intervals.support.provisional[best_first]
    return np.concatenate([best_first[~provisional], best_first[provisional]])


def band_numbers(intervals: Intervals[BotT], order: IntArray) -> list[int]:
    """Return the number of each bot's band, from 0, in the order of a ladder.

    A band starts with the first bot that is significantly below the best of the band above it, and
    with the first provisional one. Unlike `bands` these do not overlap: a table shows them as
    groups of rows.

    Args:
        intervals: The fit with its errors.
        order: The bots' indices from `ladder_order`.
    """
    above = better(intervals)
    provisional = intervals.support.provisional
    found: list[int] = []
    band, best = 0, int(order[0])
    for bot in order.tolist():
        if above[best, bot] or provisional[best] != provisional[bot]:
            band, best = band + 1, bot
        found.append(band)
    return found


def bands(intervals: Intervals[BotT]) -> tuple[Band[BotT], ...]:
    """Return the longest runs by Elo whose first and last bots do not differ significantly.

    Two bots that do not differ significantly share a band. This relation is not transitive, so
    bands overlap, like the letters of a multiple comparison.
    """
    order = _by_elo(intervals)
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


def _by_elo(intervals: Intervals[BotT]) -> IntArray:
    """Return the bots' indices, best first, bots with equal ratings by name."""
    names = np.array([str(bot) for bot in intervals.fit.bots])
    # Rounded so that a difference in the sixteenth digit does not decide the order.
    return np.lexsort((names, -np.round(intervals.fit.elo, 9))).astype(np.int64)
