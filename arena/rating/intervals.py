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
_SMALL = 128
"""Rows of a matrix: of fewer, dividing the work saves nothing."""


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
        own, anchor = np.diag(self.covariance), self.fit.anchor_index
        if anchor is None:
            return _root(own)
        return _root(own + own[anchor] - 2.0 * self.covariance[anchor])

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
        difference: FloatArray = np.subtract.outer(elo, elo)
        return difference

    @property
    def difference_se(self) -> FloatArray:
        """(K, K): the standard error of R_i - R_j, with their covariance."""
        own = np.diag(self.covariance)
        variance: FloatArray = np.add.outer(own, own)
        variance -= 2.0 * self.covariance
        return _root(variance)

    @property
    def difference_low(self) -> FloatArray:
        """(K, K): lower end of the 95 % interval of R_i - R_j; above 0: i is better than j."""
        low = self.difference_se
        low *= -Z_95
        low += self.difference
        return low

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
    bread, spread, evidence = _factors(fit, results, clusters, luck_taken)
    return Intervals(fit, clusters, _symmetric_product(spread, bread), evidence)


def standard_errors(
    fit: Fit[BotT],
    results: Results[BotT] | ClusterSums,
    clusters: Clusters = Clusters.BLOCK,
    *,
    luck_taken: FloatArray | None = None,
) -> FloatArray:
    """`Intervals.se` (K,) alone, for half of the time and without a matrix to keep."""
    bread, spread, _ = _factors(fit, results, clusters, luck_taken)
    anchor = fit.anchor_index
    if anchor is not None:
        bread -= bread[anchor].copy()
        spread -= spread[anchor].copy()
    return _root(np.einsum("ij,ij->i", spread, bread))


def _factors(
    fit: Fit[BotT],
    results: Results[BotT] | ClusterSums,
    clusters: Clusters,
    luck_taken: FloatArray | None,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """(H^-1, Sigma H) (K, K), in Elo, and the clusters per bot (K,)."""
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
    curvature = hessian(fit.pairs, chances, precision)
    del chances  # a matrix less at once
    bread = _inverse(curvature, singular=fit.prior_sd is None)
    bread *= ELO_PER_NAT
    return bread, bread @ middle, evidence


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
        return _positive_inverse(curvature)
    count = len(curvature)
    if count == 1:
        return np.zeros((1, 1))
    fill = float(np.trace(curvature)) / count
    return _positive_inverse(curvature + fill / count) - 1.0 / (fill * count)


def _positive_inverse(matrix: FloatArray) -> FloatArray:
    """The inverse of a symmetric positive definite matrix, by halves: half the work of a general
    inverse, nearly all of it products of matrices."""
    count = len(matrix)
    if count <= _SMALL:
        return np.linalg.inv(matrix).astype(np.float64, copy=False)
    half = count // 2
    first, second = slice(half), slice(half, count)
    inverse: FloatArray = np.empty((count, count))
    across = matrix[first, second]
    start = _positive_inverse(matrix[first, first])
    steps = start @ across
    rest = _positive_inverse(matrix[second, second] - across.T @ steps)
    corner = steps @ rest
    inverse[first, first] = start + corner @ steps.T
    inverse[first, second], inverse[second, first] = -corner, -corner.T
    inverse[second, second] = rest
    return inverse


def _symmetric_product(one: FloatArray, other: FloatArray) -> FloatArray:
    """one @ other (K, K), which is symmetric: only what is above the diagonal is computed."""
    count = len(one)
    product: FloatArray = np.empty((count, count))
    for start in range(0, count, _SMALL):
        rows = slice(start, start + _SMALL)
        product[rows, start:] = one[rows] @ other[:, start:]
        product[start:, rows] = product[rows, start:].T
    return product


def _root(variance: FloatArray) -> FloatArray:
    root: FloatArray = np.maximum(variance, 0.0)
    return np.sqrt(root, out=root)
