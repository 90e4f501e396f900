"""Errors of the ratings: clustered sandwich covariance, differences, likelihood of superiority.

Sigma = H^-1 (sum over clusters of u_c u_c^T) H^-1, with H the curvature of the fit and u_c the
score vector of a cluster (Huber 1967, White 1982; Liang & Zeger 1986 for clusters). It assumes only
that clusters are independent, not the pairs within a cluster.

Without an anchor, a bot's error is that of its rating relative to the mean of the pool; with an
anchor, that of its difference to the anchor, whose own error is 0. The error of a difference is
the same in both cases. All intervals are 95 %, rating +/- 1.959963984540054 standard errors.

The sandwich measures how the fit would vary with new data. A rating that only the prior keeps
finite does not vary, so a perfect score gets a short interval that is wrong. Such ratings have a
flag (`flags`) and must not be read without it.
"""

from dataclasses import dataclass
from typing import Generic

import numpy as np

from arena.rating.bradley_terry import Fit, hessian, prior_precision
from arena.rating.cluster_sums import ClusterSums
from arena.rating.clusters import outer_products, score_groups
from arena.rating.elo import ELO_PER_NAT, Z_95, FloatArray, IntArray, win_probabilities
from arena.rating.methods import Clusters
from arena.rating.results import BotT, Results

SAME = 1e-9
"""Elo: smaller differences are rounding errors."""


@dataclass(frozen=True, slots=True, eq=False)
class Intervals(Generic[BotT]):
    """A fit with its errors. Arrays follow `fit.bots`; Elo, or Elo squared for the covariance."""

    fit: Fit[BotT]
    clusters: Clusters
    covariance: FloatArray
    """Sigma (K, K); its rows sum to zero: ratings relative to the mean of the pool."""
    evidence: IntArray
    """(K,): the number of clusters that each bot took part in."""

    @property
    def se(self) -> FloatArray:
        """(K,): standard errors relative to the anchor, or without one to the mean of the pool."""
        anchor = self.fit.anchor_index
        if anchor is not None:
            return self.difference_se[:, anchor]
        return _root(np.diag(self.covariance))

    @property
    def low(self) -> FloatArray:
        """(K,): lower ends of the 95 % intervals."""
        return self.fit.elo - Z_95 * self.se

    @property
    def high(self) -> FloatArray:
        """(K,): upper ends of the 95 % intervals."""
        return self.fit.elo + Z_95 * self.se

    @property
    def difference(self) -> FloatArray:
        """(K, K): R_i - R_j."""
        elo = ELO_PER_NAT * self.fit.theta
        difference: FloatArray = elo[:, None] - elo[None, :]
        return difference

    @property
    def difference_se(self) -> FloatArray:
        """(K, K): the standard error of R_i - R_j, with their covariance."""
        own = np.diag(self.covariance)
        return _root(own[:, None] + own[None, :] - 2.0 * self.covariance)

    @property
    def difference_low(self) -> FloatArray:
        """(K, K): lower end of the 95 % interval of R_i - R_j; above 0: i is better than j."""
        return self.difference - Z_95 * self.difference_se

    @property
    def los(self) -> FloatArray:
        """(K, K): likelihood of superiority of i over j, Phi(difference / standard error)."""
        from scipy.special import ndtr

        difference, se = self.difference, self.difference_se
        certain = np.where(np.abs(difference) < SAME, 0.5, np.heaviside(difference, 0.5))
        los: FloatArray = np.where(se > 0, ndtr(difference / np.where(se > 0, se, 1.0)), certain)
        return los


def intervals(
    fit: Fit[BotT],
    results: Results[BotT] | ClusterSums,
    clusters: Clusters = Clusters.BLOCK,
    *,
    luck_taken: FloatArray | None = None,
) -> Intervals[BotT]:
    """The errors of a fit, from the log it was fitted to or, with blocks as clusters, from the sums
    over its clusters, whose bots are those of the fit.

    `luck_taken` (K, K): the amount subtracted from a pair's score per point of its luck, for a
    luck-adjusted fit (`luck_column`; not with PAIR).
    """
    chances = win_probabilities(fit.theta)
    precision = prior_precision(fit.prior_sd)
    count = len(fit.bots)
    by = Clusters.MATCH if clusters is Clusters.PAIR else clusters
    if isinstance(results, ClusterSums):
        middle, evidence = results.outer_products(chances, luck_taken)
    else:
        middle, evidence = outer_products(score_groups(fit, results, by, luck_taken), count)
    if clusters is Clusters.PAIR:
        middle, evidence = _pair_products(fit, chances), fit.pairs.sum(axis=1).astype(np.int64)
    bread = _inverse(hessian(fit.pairs, chances, precision), singular=fit.prior_sd is None)
    covariance = bread @ middle @ bread
    covariance = (covariance + covariance.T) * (0.5 * ELO_PER_NAT**2)
    return Intervals(fit, clusters, covariance, evidence)


def _pair_products(fit: Fit[BotT], chances: FloatArray) -> FloatArray:
    """The sum of u u^T with each pair as its own cluster: a Laplacian of squared surpluses."""
    squares = fit.wins * (1.0 - chances) ** 2 + fit.ties * (0.5 - chances) ** 2
    squares += fit.wins.T * chances**2
    middle: FloatArray = -squares
    np.fill_diagonal(middle, 0.0)
    np.fill_diagonal(middle, -middle.sum(axis=1))
    return middle


def _inverse(curvature: FloatArray, *, singular: bool) -> FloatArray:
    """The inverse, or without a prior the pseudo-inverse: the constant vector is H's kernel."""
    if not singular:
        return np.linalg.inv(curvature).astype(np.float64, copy=False)
    count = len(curvature)
    if count == 1:
        return np.zeros((1, 1))
    fill = float(np.trace(curvature)) / count
    inverse: FloatArray = np.linalg.inv(curvature + fill / count).astype(np.float64, copy=False)
    return inverse - 1.0 / (fill * count)


def _root(variance: FloatArray) -> FloatArray:
    root: FloatArray = np.sqrt(np.maximum(variance, 0.0))
    return root
