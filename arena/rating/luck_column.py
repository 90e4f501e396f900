"""The luck-adjusted Elo of a board, shown as a second column next to the official Elo.

The official fit solves, for every bot i, sum over its pairs of (s_ij - p_ij) - theta_i/tau^2 = 0.
Here each score s_ij is replaced by

    s_ij - beta w_ij x_ij,    w_ij = 4 p_ij (1 - p_ij)

with x_ij the luck of the pair (`luck_sums`), p from the official fit, and one number per ladder,

    beta = sum (s - p) x / sum w x^2    over the pairs of all matches.

w is how much luck can move a pair: fully between equals, little where one bot nearly always wins.
It is the derivative of a logistic probability, and beta is the least-squares slope of s - p on w x
with the variances p (1 - p), which is also the first Newton step of a logistic model with a luck
term. So beta is the value of one point of luck between equals. Prior, anchor, pairs and clusters
are those of the official fit; a cluster's score vector uses the adjusted scores.

For any players, E[x] = 0 given the seating, so for any fixed beta and w the equation has the same
root in expectation: the column estimates the same numbers. Fitting beta and p to the same matches
causes a bias of order 1/n. A wrong beta would make the intervals wider, but not the ratings wrong.
The sums of x include all pairs, not only those that the score rule counts, because whether a pair
counts is not independent of luck.

Matches without luck have x = 0 and count unchanged. As p and beta are fitted to the same matches
that they correct, the errors are too small for a bot with few matches; it has no adjusted rating
before FEWEST_MATCHES, from which on the intervals cover the truth as often as the official ones
(docs/luck.md has the measurement). Source: regression estimators (Glynn & Szechtman 2002); AIVAT
(Burch et al. 2018).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Fit, maximise
from arena.rating.cluster_sums import ClusterSums
from arena.rating.elo import Z_95, FloatArray, win_probabilities
from arena.rating.intervals import Intervals, standard_errors
from arena.rating.results import BotT, Results

FEWEST_MATCHES = 40
"""The fewest matches with luck that a bot needs, and the anchor too if there is one."""


@dataclass(frozen=True, slots=True, eq=False)
class LuckFit(Generic[BotT]):
    """A fit of luck-adjusted scores, with the slope that adjusts them."""

    fit: Fit[BotT]
    """Its ratings are adjusted; its counts are the official ones."""
    official: FloatArray
    """(K,): theta of the official fit."""
    coefficient: float
    """beta: the value of one point of luck between equals."""
    enough: NDArray[np.bool_]
    """(K,): whether each bot has enough matches; at least one bot besides the anchor has."""

    @property
    def taken(self) -> FloatArray:
        """The (K, K) amounts beta w subtracted from a pair's score per point of its luck."""
        taken = _weights(win_probabilities(self.official))
        taken *= self.coefficient
        return taken


@dataclass(frozen=True, slots=True, eq=False)
class LuckColumn(Generic[BotT]):
    """The adjusted ratings and their errors, in the order of `luck.fit.bots`."""

    luck: LuckFit[BotT]
    se: FloatArray
    """(K,): standard errors, Elo, relative to the anchor, or without one to the pool's mean."""
    variance_factors: FloatArray
    """(K,): the squared ratio of the adjusted standard error to the official one.

    It is 1 where the official one is 0, as for the anchor.
    """

    @property
    def low(self) -> FloatArray:
        """(K,): lower ends of the 95 % intervals, Elo."""
        return self.luck.fit.elo - Z_95 * self.se

    @property
    def high(self) -> FloatArray:
        """(K,): upper ends of the 95 % intervals, Elo."""
        return self.luck.fit.elo + Z_95 * self.se


def luck_fit(
    official: Fit[BotT], aggregate: Aggregate[BotT], *, start: Mapping[BotT, float] | None = None
) -> LuckFit[BotT] | None:
    """Return the luck-adjusted ratings; None if too few matches have luck.

    Args:
        official: The official fit of this aggregate.
        aggregate: The counts and sums of luck.
        start: `nats` of an earlier adjusted fit; it only saves steps.

    Returns:
        The fit; None if no bot has FEWEST_MATCHES matches with luck, if there is an anchor and it
        or all others have fewer, or if luck never varied.
    """
    sums = aggregate.luck
    played = aggregate.matches > 0
    bots = len(played)
    enough = sums.matches(bots)[played] >= FEWEST_MATCHES
    anchor = official.anchor_index
    if not (enough.any() if anchor is None else enough[anchor] and enough.sum() > 1):
        return None
    chosen = np.ix_(played, played)
    chances = win_probabilities(official.theta)
    weights = _weights(chances)
    # The sums hold every pair twice.
    spread = 0.5 * float(np.vdot(weights, sums.squares(bots)[chosen]))
    if not spread > 0:
        return None
    chances -= 0.5
    expected = 0.5 * float(np.vdot(chances, sums.counted_pairs(bots)[chosen]))
    coefficient = (sums.products - expected) / spread
    weights *= coefficient
    weights *= sums.all_pairs(bots)[chosen]
    known = official.nats() | dict(start or {})
    theta = np.array([known[bot] for bot in official.bots])
    theta, steps = maximise(official.score - weights, prior_sd=official.prior_sd, start=theta)
    adjusted = replace(official, theta=theta, steps=steps)
    return LuckFit(adjusted, official.theta, coefficient, enough)


def luck_column(
    luck: LuckFit[BotT], official: Intervals[BotT], results: Results[BotT] | ClusterSums
) -> LuckColumn[BotT]:
    """Return the adjusted ratings with their errors, at half the cost of the official errors.

    Args:
        luck: The adjusted fit.
        official: The official fit with its intervals.
        results: The log, or the sums over its clusters, from which `official` was computed.
    """
    before = official.se
    after = standard_errors(luck.fit, results, official.clusters, luck_taken=luck.taken)
    factors = np.divide(after, before, out=np.ones_like(after), where=before > 0) ** 2
    return LuckColumn(luck, after, factors)


def _weights(chances: FloatArray) -> FloatArray:
    """Return w (K, K) = 4 p (1 - p), how much luck can move each pair."""
    weights: FloatArray = 1.0 - chances
    weights *= chances
    weights *= 4.0
    return weights
