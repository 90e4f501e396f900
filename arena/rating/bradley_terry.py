"""The Bradley-Terry fit of the board: maximum a posteriori over all pairs of each match.

P(i above j) = 1 / (1 + 10^(-(R_i - R_j)/400)); a tie is half a win for each. Under Plackett-Luce
the marginal of every pair is Bradley-Terry for any other bots at the table, so the rating means the
same at every table size. The pairs of a match are not independent; this does not affect the point
estimate (a composite likelihood) but its error: see `intervals`.

Prior and anchor. The prior is a Gaussian on each rating with the mean of the pool and a standard
deviation of 350 Elo: it keeps 100 % scores and pools that never met finite. The fit uses the prior
and is then shifted as a whole so that the anchor has its fixed Elo: an anchor moves the zero of the
scale and never a difference.

Sources: Bradley & Terry 1952; Zermelo 1929; Ford 1957 (when the maximum exists); Varin, Reid &
Firth 2011 (composite likelihood).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from arena.rating.aggregate import Aggregate
from arena.rating.elo import ELO_PER_NAT, FloatArray, IntArray, win_probabilities
from arena.rating.errors import AnchorError, RatingError, UnboundedRatingError
from arena.rating.links import strong_groups
from arena.rating.methods import ScoreRule
from arena.rating.results import BotT

PRIOR_SD = 350.0
"""The prior's standard deviation, Elo."""
NARROWEST_PRIOR, WIDEST_PRIOR = 1.0, 100_000.0
"""Limits of the prior's standard deviation, Elo.

A narrower prior makes all bots equal. A wider one has no effect where results alone give finite
ratings; elsewhere the likelihood is flatter than rounding errors, and the fit does not converge.
"""
FARTHEST_ANCHOR = 10_000_000.0
"""The largest distance of the anchor from 0, Elo.

Ratings shifted farther would lose the digits in which they differ.
"""
_CLOSE_ENOUGH = 1e-10
"""Nats: the fit ends after a Newton step no longer than this."""
_ROUNDING = 1e-6
_FAR = 0.1
"""Nats: below this step length, Newton cannot overshoot and is not checked."""
_LOST = 3.0
_STEPS_MAX = 200
_MANY_BOTS = 128
_PRODUCTS_MAX = 150
_RESIDUAL = 1e-26
"""The squared residual, relative to the first, below which the step has only rounding errors."""


@dataclass(frozen=True, slots=True)
class Anchor(Generic[BotT]):
    """A bot with a fixed Elo; all other ratings are measured from it."""

    bot: BotT
    elo: float = 1500.0


@dataclass(frozen=True, slots=True, eq=False)
class Fit(Generic[BotT]):
    """The ratings of K bots and the counts behind them. All arrays follow `bots`."""

    bots: tuple[BotT, ...]
    theta: FloatArray
    """(K,): ratings in nats, mean zero."""
    wins: IntArray
    """(K, K): how often i beat j under `rule`."""
    ties: IntArray
    """(K, K): how often i and j tied under `rule`."""
    matches: IntArray
    """(K,): matches played."""
    rule: ScoreRule
    prior_sd: float | None
    """The prior's standard deviation, Elo; None without a prior."""
    anchor: Anchor[BotT] | None
    steps: int
    """The number of Newton steps."""

    @property
    def pairs(self) -> FloatArray:
        """N (K, K): the number of comparisons of i and j."""
        pairs: FloatArray = (self.wins + self.wins.T + self.ties).astype(np.float64)
        return pairs

    @property
    def score(self) -> FloatArray:
        """W (K, K): points i took from j."""
        score: FloatArray = self.wins + 0.5 * self.ties
        return score

    @property
    def anchor_index(self) -> int | None:
        """The anchor's index in `bots`; None without an anchor."""
        return None if self.anchor is None else self.bots.index(self.anchor.bot)

    @property
    def elo(self) -> FloatArray:
        """(K,): ratings in Elo, mean zero or shifted so that the anchor has its fixed Elo."""
        elo: FloatArray = ELO_PER_NAT * self.theta
        if self.anchor is not None:
            elo += self.anchor.elo - elo[self.bots.index(self.anchor.bot)]
        return elo

    def ratings(self) -> dict[BotT, float]:
        """Return the Elo of each bot."""
        return dict(zip(self.bots, self.elo.tolist(), strict=True))

    def nats(self) -> dict[BotT, float]:
        """Return theta of each bot, a start for a fit of nearly the same matches."""
        return dict(zip(self.bots, self.theta.tolist(), strict=True))


def fit(
    aggregate: Aggregate[BotT],
    *,
    prior_sd: float | None = PRIOR_SD,
    anchor: Anchor[BotT] | None = None,
    start: Mapping[BotT, float] | None = None,
) -> Fit[BotT]:
    """Return the ratings of every bot with a match.

    Args:
        aggregate: The counts of wins and ties.
        prior_sd: The prior's standard deviation in Elo; None for plain maximum likelihood.
        anchor: The bot with a fixed Elo; without one the mean of all bots is 0.
        start: `nats` of an earlier fit; it only saves steps.

    Raises:
        UnboundedRatingError: Without a prior, the likelihood has no finite maximum (Ford 1957).
        AnchorError: The anchor has no match or lies beyond `FARTHEST_ANCHOR`.
        RatingError: There is no match, or `prior_sd` is out of its limits.
    """
    played = aggregate.matches > 0
    bots = tuple(bot for bot, plays in zip(aggregate.bots, played.tolist(), strict=True) if plays)
    if not bots:
        raise RatingError("no matches to rate")
    if prior_sd is not None and not NARROWEST_PRIOR <= prior_sd <= WIDEST_PRIOR:
        raise RatingError(
            f"the prior's standard deviation must be from {NARROWEST_PRIOR:g} to "
            f"{WIDEST_PRIOR:,.0f} Elo, not {prior_sd:g}"
        )
    if anchor is not None and anchor.bot not in bots:
        raise AnchorError(f"the anchor {anchor.bot} has played no match")
    if anchor is not None and not abs(anchor.elo) <= FARTHEST_ANCHOR:
        raise AnchorError(
            f"the anchor's Elo must be from -{FARTHEST_ANCHOR:,.0f} to {FARTHEST_ANCHOR:,.0f}, "
            f"not {anchor.elo:g}"
        )
    wins = aggregate.wins[np.ix_(played, played)]
    ties = aggregate.ties[np.ix_(played, played)]
    score = wins + 0.5 * ties
    if prior_sd is None:
        check_bounded(bots, score)
    theta = np.array([(start or {}).get(bot, 0.0) for bot in bots])
    theta, steps = maximise(score, prior_sd=prior_sd, start=theta)
    matches = aggregate.matches[played]
    return Fit(bots, theta, wins, ties, matches, aggregate.rule, prior_sd, anchor, steps)


def maximise(
    score: FloatArray, *, prior_sd: float | None, start: FloatArray | None = None
) -> tuple[FloatArray, int]:
    """Return the maximum a posteriori ratings and the number of Newton steps.

    g_i = sum_j (W_ij - N_ij p_ij) - theta_i / tau^2, H = Laplacian of N p (1 - p) + I / tau^2,
    step = H^-1 g. The constant vector is an eigenvector of H, with a value of 0 or next to 0 under
    no prior or a weak one; a rank-one term keeps H well-conditioned and changes no step, since g
    sums to zero. The maximum must be finite.

    Args:
        score: W (K, K), the points i took from j; they need not be whole.
        prior_sd: The prior's standard deviation tau in Elo; None for no prior.
        start: (K,) ratings in nats to start from; zeros by default.

    Returns:
        (K,) ratings in nats with mean zero, and the number of steps.
    """
    pairs, points = score + score.T, score.sum(axis=1)
    precision = prior_precision(prior_sd)
    theta = np.zeros(len(score)) if start is None else start - start.mean()
    before = np.inf
    for steps in range(1, _STEPS_MAX + 1):
        chances = win_probabilities(theta)
        gradient = points - np.einsum("ij,ij->i", pairs, chances) - precision * theta
        curvature = hessian(pairs, chances, precision)
        curvature += np.trace(curvature) / len(score) ** 2
        step = _newton_step(curvature, gradient)
        longest = float(np.abs(step).max())
        if longest > _LOST and theta.any() and before == np.inf:
            # A start so far away that the likelihood is flat there is worse than no start.
            theta = np.zeros(len(score))
            continue
        if longest > _FAR:
            # Newton may overshoot where the likelihood is nearly flat.
            here = _log_posterior(theta, score, precision)
            while _log_posterior(theta + step, score, precision) < here:
                step = step / 2.0
        theta = theta + step
        # With huge counts, rounding keeps the steps slightly above the tolerance.
        if longest < _CLOSE_ENOUGH or (longest < _ROUNDING and longest >= before):
            return theta - theta.mean(), steps
        before = longest
    raise RatingError("the fit did not converge")  # the problem is concave: only NaN leads here


def _newton_step(curvature: FloatArray, gradient: FloatArray) -> FloatArray:
    """Return H^-1 g.

    Many bots are solved by conjugate gradients, preconditioned by the diagonal (Hestenes &
    Stiefel 1952): where most bots have met many others, some twenty products of H with a vector
    are as exact as elimination. Where that takes too many products, and for few bots, elimination
    is used.
    """
    scale = 1.0 / np.diag(curvature)
    step, left = np.zeros(len(gradient)), gradient
    direction = scale * left
    first = size = float(left @ direction)
    for _ in range(_PRODUCTS_MAX if len(gradient) >= _MANY_BOTS else 0):
        if size <= _RESIDUAL * first:
            return step
        image = curvature @ direction
        length = size / float(direction @ image)
        step += length * direction
        left = left - length * image
        scaled = scale * left
        before, size = size, float(left @ scaled)
        direction = scaled + size / before * direction
    return np.linalg.solve(curvature, gradient).astype(np.float64, copy=False)


def _log_posterior(theta: FloatArray, score: FloatArray, precision: float) -> float:
    """Return the log posterior up to a constant; it is concave in theta."""
    log_chances = -np.logaddexp(0.0, theta[None, :] - theta[:, None])
    return float((score * log_chances).sum() - 0.5 * precision * (theta @ theta))


def prior_precision(prior_sd: float | None) -> float:
    """Return 1/tau^2 per squared nat from the prior's standard deviation in Elo; 0 for None."""
    return 0.0 if prior_sd is None else (ELO_PER_NAT / prior_sd) ** 2


def hessian(pairs: FloatArray, chances: FloatArray, precision: float) -> FloatArray:
    """Return H (K, K), the curvature of the negative log posterior, per squared nat.

    H = Laplacian of N_ij p_ij (1 - p_ij) + precision on the diagonal.

    Args:
        pairs: N (K, K), the number of comparisons of i and j.
        chances: p (K, K), the probability of i above j.
        precision: 1/tau^2 from `prior_precision`.
    """
    information: FloatArray = chances - 1.0
    information *= chances
    information *= pairs
    np.fill_diagonal(information, 0.0)
    np.fill_diagonal(information, precision - information.sum(axis=1))
    return information


def check_bounded(bots: tuple[BotT, ...], score: FloatArray) -> None:
    """Raise `UnboundedRatingError` if W (K, K) has no finite fit without a prior."""
    took_points: NDArray[np.bool_] = score > 0
    groups = strong_groups(took_points)
    if len(groups) > 1:
        inside = set(groups[0])
        raise UnboundedRatingError([bot for i, bot in enumerate(bots) if i not in inside])
