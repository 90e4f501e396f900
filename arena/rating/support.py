"""How many independent clusters a rating rests on, and how much results scatter in the whole pool.

Both say how far the sandwich of `intervals` can be relied on.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.rating.clusters import ScoreProducts
from arena.rating.elo import FloatArray, IntArray
from arena.rating.links import strong_groups, well_linked
from arena.rating.methods import ScoreRule

ENOUGH_CLUSTERS = 20
"""With fewer, the variance that the sandwich takes from their residuals is too small, or chance."""
_GUESS = 7.0
"""The degrees of freedom for which a guess of the dispersion counts."""
_NO_GROUP = -1


@dataclass(frozen=True, slots=True, eq=False)
class Support:
    """The clusters and groups on which the ratings of K bots rest."""

    clusters: IntArray
    """(K,): the number of clusters that each bot took part in."""
    linked: IntArray
    """(K,): the group of each bot; within one, no two are linked by fewer than ENOUGH_CLUSTERS."""
    groups: IntArray
    """(K,): the same divided further, where bots only won or only lost points against the rest."""

    @property
    def provisional(self) -> NDArray[np.bool_]:
        """(K,): whether fewer than ENOUGH_CLUSTERS link a bot to the largest group."""
        apart: NDArray[np.bool_] = self.linked != self._main(self.linked)
        return apart

    def of_ratings(self, anchor: int | None) -> FloatArray:
        """(K,): the part of the model's variance that a rating has at least, above 0 to 1.

        Of its difference to the anchor; without one, to the mean of the pool.
        """
        if anchor is None:
            main, clusters = self._main(self.groups), self.clusters
        else:
            main = int(self.groups[anchor])
            clusters = np.minimum(self.clusters, self.clusters[anchor])
        return np.where(self.groups == main, _part(clusters), 1.0)

    def of_differences(self) -> FloatArray:
        """(K, K): the part of the model's variance that a difference has at least."""
        part = _part(np.minimum.outer(self.clusters, self.clusters))
        part[self.groups[:, None] != self.groups] = 1.0
        return part

    def _main(self, groups: IntArray) -> int:
        """Return the number of the largest group, of several the one with most clusters.

        That of no group if several have as many, so that nothing depends on the order of the bots.
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
    """Took (K, K): whether i took points from j; links (K, K): clusters that two bots share."""
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
    """How much more the scores of a pool scatter than those of independent pairs; at least `least`.

    It is the trace of the clusters' products against that of the information of independent pairs,
    for as many degrees of freedom as the fit leaves of the sum over clusters of (bots - 1). Because
    these may be few, a guess counts for some more: the dispersion of single untied matches of equal
    bots, whose ranks from 1 to n have (n + 1) / 3 times the variance of n - 1 coins; where only
    first places count it is n / 2.

    information: trace of the curvature without the prior's part. parameters: the effective number
    that was fitted.
    """
    seats = float(products.links.sum()) / max(products.clusters, 1)
    expected = seats / 2.0 if rule is ScoreRule.WINNER else (seats + 1.0) / 3.0
    directions = (seats - 1.0) * products.clusters
    scatter = float(np.trace(products.middle)) / information if information > 0 else 0.0
    free = max(directions - parameters, 0.0)
    measured = (scatter * directions + _GUESS * expected) / (free + _GUESS)
    return max(measured, least)


def _part(clusters: IntArray) -> FloatArray:
    """Return the least part of the model's variance with so many clusters: it falls from 20 on."""
    part: FloatArray = ENOUGH_CLUSTERS / np.maximum(clusters, ENOUGH_CLUSTERS)
    return part
