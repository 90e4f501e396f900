"""Places of a round robin that say who is ahead with confidence, and who shares a place.

The points of a bot are a sum over tables, of blocks that are independent of each other. The
covariance of the points of a block is estimated from the n blocks of a table of k bots and k more,
in each of which one bot is first and the others share what is left:

    C = Σ (x - m)(x - m)ᵀ / (n + k - 1),    m the mean of these n + k vectors x of points

Without the k, a few equal blocks would count as certain (the idea is that of Agresti and Coull, The
American Statistician 52, 1998). A sum over the n blocks has the covariance n C. The difference of
two bots is a weighted sum of the points at all tables; it is taken to be distributed as Student's t
with the degrees of freedom of Welch and Satterthwaite.

A bot shares the place of the best bot that is not ahead of it at 95 %. This is a statement about
each pair of bots, not about all pairs together.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

LEVEL: Final = 0.95


@dataclass(frozen=True, slots=True)
class TablePoints:
    """The points that the bots of one table made in its blocks, at least one."""

    bots: tuple[int, ...]
    blocks: tuple[tuple[float, ...], ...]
    """The points in each block, in the order of `bots`, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class SharedPlace:
    """One line of the standings."""

    bot: int
    place: int
    """1 is best; bots that share a place have the same one."""
    points: float
    margin: float
    """Half the width of the 95 % interval of the points."""


def places(tables: Sequence[TablePoints], bots: Sequence[int]) -> list[SharedPlace]:
    """Return the places of `bots`, best first; bots with equal points keep their order."""
    points = dict.fromkeys(bots, 0.0)
    for table in tables:
        for bot, total in zip(table.bots, np.sum(table.blocks, axis=0), strict=True):
            points[bot] += float(total)
    spreads: dict[int, list[_Spread]] = {bot: [] for bot in bots}
    for table in tables:
        spread = _Spread(table)
        for bot in table.bots:
            spreads[bot].append(spread)

    def margin(weights: Mapping[int, float]) -> float:
        # The other tables contribute nothing.
        touched = {id(one): one for bot in weights for one in spreads[bot]}
        return _margin(list(touched.values()), weights)

    found: list[SharedPlace] = []
    leader, place = None, 1
    for number, bot in enumerate(sorted(bots, key=lambda one: -points[one]), start=1):
        if leader is None or points[leader] - points[bot] > margin({leader: 1.0, bot: -1.0}):
            leader, place = bot, number
        found.append(SharedPlace(bot, place, points[bot], margin({bot: 1.0})))
    return found


class _Spread:
    """The covariance of the sums of one table."""

    def __init__(self, table: TablePoints) -> None:
        self.bots = table.bots
        played, size = np.array(table.blocks, dtype=float), len(table.bots)
        share = (played[0].sum() - 1) / (size - 1)
        added = np.full((size, size), share) + np.eye(size) * (1 - share)
        blocks = np.vstack([played, added])
        centred = blocks - blocks.mean(axis=0)
        self.freedom = len(blocks) - 1
        self._covariance = len(played) * (centred.T @ centred) / self.freedom

    def variance(self, weights: Mapping[int, float]) -> float:
        """Return the variance of a weighted sum of the bots' points at this table."""
        vector = np.array([weights.get(bot, 0.0) for bot in self.bots])
        return float(vector @ self._covariance @ vector)


def _margin(spreads: Sequence[_Spread], weights: Mapping[int, float]) -> float:
    """Return half the width of the interval of a weighted sum of the bots' points."""
    # Imported here, because it takes half a second and most commands do not need it.
    from scipy.special import stdtrit

    found = [(one.variance(weights), one.freedom) for one in spreads]
    total = sum(variance for variance, _ in found)
    if total <= 0:
        return 0.0
    freedom = total**2 / sum(variance**2 / degrees for variance, degrees in found)
    quantile = float(stdtrit(freedom, (1 + LEVEL) / 2))
    return quantile * math.sqrt(total)
