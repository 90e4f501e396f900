"""Errors of the ratings: covariances, standard errors of differences, likelihood of superiority.

With many clusters the errors are the clustered sandwich,

    Sigma = H^-1 (sum over clusters of u_c u_c^T) H^-1,

with H the curvature of the fit and u_c the score vector of a cluster (Huber 1967, White 1982; Liang
& Zeger 1986 for clusters). It assumes only that clusters are independent, not the pairs within a
cluster. But it takes its variance from residuals of the same fit: for a bot with one cluster these
are nearly 0, whatever the result (Bell & McCaffrey 2002). So the variance of a difference is never
less than

    min(1, 20 / m) of    H^-1 (d I + 1/tau^2) H^-1

by the model, with m the smaller of the two bots' numbers of clusters, I = H - 1/tau^2 the
information of independent pairs, 1/tau^2 for the error that the prior makes on average, as in a
posterior, and d the pool's dispersion: how much more pairs scatter than independent ones, measured
on all bots (as Morel, Bokossa & Neerchal 2003 correct by a design effect; `support`). d = 1 gives
H^-1. Below 20 clusters an interval is therefore never narrower than the model's; with many the
sandwich alone decides, unless it has next to no variance. Where two bots are linked by fewer than
20 clusters, or only by the prior, the factor is 1 whatever m is.

Without an anchor, a bot's error is that of its rating relative to the mean of the pool; with an
anchor, that of its difference to the anchor, whose own error is 0. The error of a difference is
the same in both cases. All intervals are 95 %, rating +/- 1.959963984540054 standard errors.
"""

from dataclasses import dataclass
from typing import Generic, NamedTuple

import numpy as np

from arena.rating.bradley_terry import Fit, hessian, prior_precision
from arena.rating.cluster_sums import ClusterSums
from arena.rating.clusters import ScoreProducts, score_groups, score_products
from arena.rating.elo import ELO_PER_NAT, Z_95, FloatArray, IntArray, win_probabilities
from arena.rating.methods import Clusters
from arena.rating.results import BotT, Results
from arena.rating.support import Support, dispersion, support

SAME = 1e-9
"""Elo: smaller differences are rounding errors."""
_SMALL = 128
"""Rows of a matrix below which dividing the work saves nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Intervals(Generic[BotT]):
    """A fit with its errors.

    Arrays follow `fit.bots`; the unit is Elo, or Elo squared for the covariances.
    """

    fit: Fit[BotT]
    clusters: Clusters
    covariance: FloatArray
    """Sigma (K, K), the sandwich; its rows sum to zero, as ratings are relative to the pool's mean.

    With few clusters it is too small.
    """
    model: FloatArray
    """(K, K): the covariance by the curvature of the fit, the prior and the pool's dispersion."""
    support: Support

    @property
    def evidence(self) -> IntArray:
        """(K,): the number of clusters that each bot took part in."""
        return self.support.clusters

    @property
    def se(self) -> FloatArray:
        """(K,): standard errors relative to the anchor, or without one to the mean of the pool."""
        return self._se(self.fit.anchor_index)

    @property
    def se_of_mean(self) -> FloatArray:
        """(K,): standard errors relative to the mean of the pool, with or without an anchor."""
        return self._se(None)

    def _se(self, anchor: int | None) -> FloatArray:
        sandwich, model = (_own_variance(one, anchor) for one in (self.covariance, self.model))
        return _root(np.maximum(sandwich, model * self.support.of_ratings(anchor)))

    @property
    def low(self) -> FloatArray:
        """(K,): lower ends of the 95 % intervals, Elo."""
        return self.fit.elo - Z_95 * self.se

    @property
    def high(self) -> FloatArray:
        """(K,): upper ends of the 95 % intervals, Elo."""
        return self.fit.elo + Z_95 * self.se

    @property
    def difference(self) -> FloatArray:
        """(K, K): R_i - R_j, Elo."""
        elo = ELO_PER_NAT * self.fit.theta
        difference: FloatArray = np.subtract.outer(elo, elo)
        return difference

    @property
    def difference_se(self) -> FloatArray:
        """(K, K): standard errors of R_i - R_j, including their covariance."""
        least = _difference_variance(self.model)
        least *= self.support.of_differences()
        return _root(np.maximum(_difference_variance(self.covariance), least, out=least))

    @property
    def difference_low(self) -> FloatArray:
        """(K, K): lower ends of the 95 % intervals of R_i - R_j; above 0, i is better than j."""
        low = self.difference_se
        low *= -Z_95
        low += self.difference
        return low

    @property
    def los(self) -> FloatArray:
        """(K, K): likelihood that i is superior to j, Phi(difference / standard error)."""
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
    """Return the errors of a fit by the clustered sandwich (Huber 1967, Liang & Zeger 1986).

    Args:
        fit: The fit.
        results: The log it was fitted to or, with blocks as clusters, the sums over its clusters,
            whose bots must be those of the fit.
        clusters: The unit of independent results.
        luck_taken: (K, K), the amount subtracted from a pair's score per point of its luck, for a
            luck-adjusted fit (`luck_column`; not with PAIR).
    """
    found = _factors(fit, results, clusters, luck_taken)
    bread = found.bread
    covariance = _symmetric_product(found.spread, bread)
    # H^-1 (d (H - 1/tau^2) + 1/tau^2) H^-1, in Elo squared.
    model = _symmetric_product(bread, bread)
    model *= found.precision * (1.0 - found.dispersion)
    bread *= found.dispersion * ELO_PER_NAT
    model += bread
    return Intervals(fit, clusters, covariance, model, found.support)


def standard_errors(
    fit: Fit[BotT],
    results: Results[BotT] | ClusterSums,
    clusters: Clusters = Clusters.BLOCK,
    *,
    luck_taken: FloatArray | None = None,
) -> FloatArray:
    """Return `Intervals.se` (K,) alone, in half of the time and without keeping a matrix.

    Args:
        fit: The fit.
        results: As for `intervals`.
        clusters: As for `intervals`.
        luck_taken: As for `intervals`.
    """
    found = _factors(fit, results, clusters, luck_taken)
    anchor, bread, spread = fit.anchor_index, found.bread, found.spread
    model = found.dispersion * ELO_PER_NAT * _own_variance(bread, anchor)
    if anchor is not None:
        bread -= bread[anchor].copy()
        spread -= spread[anchor].copy()
    sandwich = np.einsum("ij,ij->i", spread, bread)
    model += found.precision * (1.0 - found.dispersion) * np.einsum("ij,ij->i", bread, bread)
    return _root(np.maximum(sandwich, model * found.support.of_ratings(anchor)))


class _Factors(NamedTuple):
    """Factors of the covariances."""

    bread: FloatArray
    """(K, K): H^-1 without the direction in which all ratings move alike, nats times Elo."""
    spread: FloatArray
    """(K, K): Sigma = spread @ bread."""
    precision: float
    dispersion: float
    support: Support


def _factors(
    fit: Fit[BotT],
    results: Results[BotT] | ClusterSums,
    clusters: Clusters,
    luck_taken: FloatArray | None,
) -> _Factors:
    """Return the factors of the covariances of a fit."""
    chances = win_probabilities(fit.theta)
    precision = prior_precision(fit.prior_sd)
    count = len(fit.bots)
    by = Clusters.MATCH if clusters is Clusters.PAIR else clusters
    if isinstance(results, ClusterSums):
        products = results.products(chances, luck_taken)
    else:
        products = score_products(score_groups(fit, results, by, luck_taken), count)
    if clusters is Clusters.PAIR:
        products = _pair_products(fit, chances)
    curvature = hessian(fit.pairs, chances, precision)
    del chances  # frees a matrix
    information = float(np.trace(curvature)) - count * precision
    bread = _inverse(curvature, precision)
    parameters = count - 1 - precision * float(np.trace(bread))
    scatter = dispersion(
        products, information, parameters, fit.rule, least=1.0 if luck_taken is None else 0.0
    )
    bread *= ELO_PER_NAT
    took = (fit.wins > 0) | (fit.ties > 0)
    return _Factors(
        bread, bread @ products.middle, precision, scatter, support(took, products.links)
    )


def _own_variance(covariance: FloatArray, anchor: int | None) -> FloatArray:
    """Return the variances (K,) of ratings, or of their differences to an anchor."""
    own = np.diag(covariance)
    return own if anchor is None else own + own[anchor] - 2.0 * covariance[anchor]


def _difference_variance(covariance: FloatArray) -> FloatArray:
    """Return the variances (K, K) of the differences of ratings."""
    own = np.diag(covariance)
    variance: FloatArray = np.add.outer(own, own)
    variance -= 2.0 * covariance
    return variance


def _pair_products(fit: Fit[BotT], chances: FloatArray) -> ScoreProducts:
    """Return the sums with each pair as its own cluster: a Laplacian of squared surpluses."""
    squares = fit.wins * (1.0 - chances) ** 2 + fit.ties * (0.5 - chances) ** 2
    squares += fit.wins.T * chances**2
    middle: FloatArray = -squares
    np.fill_diagonal(middle, 0.0)
    np.fill_diagonal(middle, -middle.sum(axis=1))
    return ScoreProducts(middle, fit.pairs, round(float(fit.pairs.sum()) / 2))


def _inverse(curvature: FloatArray, precision: float) -> FloatArray:
    """Return the inverse on the space without the constant vector.

    The eigenvalue of that vector is that of the prior; without it the rest stays exact however weak
    the prior is.
    """
    count = len(curvature)
    if count == 1:
        return np.zeros((1, 1))
    fill = float(np.trace(curvature)) / count
    return _positive_inverse(curvature + fill / count) - 1.0 / ((fill + precision) * count)


def _positive_inverse(matrix: FloatArray) -> FloatArray:
    """Return the inverse of a symmetric positive definite matrix, computed by halves.

    That is half the work of a general inverse, nearly all of it products of matrices.
    """
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
    """Return one @ other (K, K), a symmetric product, computing only one half of it."""
    count = len(one)
    product: FloatArray = np.empty((count, count))
    for start in range(0, count, _SMALL):
        rows = slice(start, start + _SMALL)
        product[rows, start:] = one[rows] @ other[:, start:]
        product[start:, rows] = product[rows, start:].T
    return product


def _root(variance: FloatArray) -> FloatArray:
    """Return the square root, taking negative rounding errors as 0."""
    root: FloatArray = np.maximum(variance, 0.0)
    return np.sqrt(root, out=root)
