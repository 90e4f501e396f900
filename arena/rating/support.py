"""The number of independent clusters behind each rating, and the scatter of the whole pool.

Both show how far the sandwich of `intervals` can be relied on.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.rating.clusters import ScoreProducts
from arena.rating.elo import FloatArray, IntArray
from arena.rating.links import strong_groups, well_linked
from arena.rating.methods import ScoreRule

ENOUGH_CLUSTERS = 20
"""The fewest clusters for which the variance that the sandwich takes from residuals suffices.

With fewer, it is too small, or mostly chance.
"""
_GUESS = 7.0
"""The degrees of freedom that a guess of the dispersion counts for."""
_NO_GROUP = -1


@dataclass(frozen=True, slots=True, eq=False)
class Support:
    """The clusters and groups on which the ratings of K bots rest."""

    clusters: IntArray
    """(K,): the number of clusters that each bot took part in."""
    linked: IntArray
    """(K,): the group of each bot; no two of a group are linked by fewer than ENOUGH_CLUSTERS."""
    groups: IntArray
    """(K,): `linked`, divided further where bots only won or only lost points against the rest."""

    @property
    def provisional(self) -> NDArray[np.bool_]:
        """(K,): whether fewer than ENOUGH_CLUSTERS link a bot to the largest group."""
        apart: NDArray[np.bool_] = self.linked != self._main(self.linked)
        return apart

    def of_ratings(self, anchor: int | None) -> FloatArray:
        """Return (K,) the least variance of each rating, as a fraction of the model's variance.

        The variance is that of the difference to the anchor, or without one to the pool's mean.
        """
        if anchor is None:
            main, clusters = self._main(self.groups), self.clusters
        else:
            main = int(self.groups[anchor])
            clusters = np.minimum(self.clusters, self.clusters[anchor])
        return np.where(self.groups == main, _part(clusters), 1.0)

    def of_differences(self) -> FloatArray:
        """Return (K, K) the least variance of each difference, as a fraction of the model's."""
        part = _part(np.minimum.outer(self.clusters, self.clusters))
        part[self.groups[:, None] != self.groups] = 1.0
        return part

    def _main(self, groups: IntArray) -> int:
        """Return the number of the largest group; among equals, of the one with most clusters.

        If those are equal, too, return _NO_GROUP, so that nothing depends on the order of the bots.
        """
        numbers, inverse, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        clusters = np.bincount(inverse, self.clusters)
        order = np.lexsort((clusters, sizes))
        if len(order) > 1:
            first, second = order[-1], order[-2]
            if sizes[first] == sizes[second] and clusters[first] == clusters[second]:
                return _NO_GROUP
        return int(numbers[order[-1]])


def support(took: NDArray[np.bool_], links: FloatArray) -> Support:
    """Return the support of the ratings.

    Args:
        took: (K, K), whether i took points from j.
        links: (K, K), the clusters that two bots share, as in `ScoreProducts`.
    """
    linked = well_linked(links, ENOUGH_CLUSTERS)
    groups = np.empty(len(links), np.int64)
    for number, members in enumerate(strong_groups(took)):
        groups[members] = number * len(links) + linked[members]
    return Support(np.rint(links.sum(axis=1)).astype(np.int64), linked, groups)


def dispersion(
    products: ScoreProducts,
    information: float,
    parameters: float,
    rule: ScoreRule,
    *,
    least: float,
) -> float:
    """Return how much more the scores of a pool scatter than those of independent pairs.

    It is the trace of the clusters' products divided by that of the information of independent
    pairs. Its degrees of freedom are the sum over clusters of (bots - 1), minus the fitted
    parameters. Because these may be few, a guess with _GUESS degrees of freedom is averaged in: the
    dispersion of single untied matches of equal bots, whose ranks from 1 to n have (n + 1) / 3
    times the variance of n - 1 coins; where only first places count it is n / 2. (Morel, Bokossa &
    Neerchal 2003 correct by a pooled design effect.)

    Args:
        products: The sums over the clusters.
        information: The trace of the curvature without the prior's part.
        parameters: The effective number of parameters that was fitted.
        rule: The score rule.
        least: The least value to return.
    """
    seats = float(products.links.sum()) / max(products.clusters, 1)
    expected = seats / 2.0 if rule is ScoreRule.WINNER else (seats + 1.0) / 3.0
    directions = (seats - 1.0) * products.clusters
    scatter = float(np.trace(products.middle)) / information if information > 0 else 0.0
    free = max(directions - parameters, 0.0)
    measured = (scatter * directions + _GUESS * expected) / (free + _GUESS)
    return max(measured, least)


def _part(clusters: IntArray) -> FloatArray:
    """Return the least fraction of the model's variance for m clusters: 1 up to 20, then 20 / m."""
    part: FloatArray = ENOUGH_CLUSTERS / np.maximum(clusters, ENOUGH_CLUSTERS)
    return part
