"""The sequential test (GSPRT) of whether one version of a bot is better than another.

It compares the likelihood of the block scores so far under the most likely distribution that
satisfies H1 with that under the most likely one that satisfies H0,

    LLR = N sum_k q_k ln(p1_k / p0_k),

and stops at ln(beta / (1 - alpha)) or ln((1 - beta) / alpha). The unit is the block, not the match,
because matches of one block share their luck. For pairs of matches the block scores are 0, 1/4,
1/2, 3/4 and 1 (LL, LT, TT or WL, WT, WW: "pentanomial"); other blocks have other scores.

Hypotheses are Elo bounds <elo0, elo1>. LOGISTIC: mean score 1 / (1 + 10^(-elo/400)). NORMALIZED:
(mean score - 1/2) / sd per match = nElo ln 10 / 800; the test then takes equally long in games
with much and with little luck.

Scores never seen count as seen 0.001 times, as in fishtest: no variance is zero, and a test with
only ties or only wins still gives an answer. Elo, nElo and LOS use the same counts.

A test stops when its numbers are extreme, so the mean score then is biased away from the bound that
was not reached. `estimate` corrects that: it models the LLR as a Brownian motion between the bounds
and estimates its drift without median bias (`stopped_walk`), as fishtest does.

Sources: fishtest's and fastchess's statistics; Van den Bergh, "Comments on Normalized Elo";
Siegmund 1985 (expected length, estimates after stopping).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from arena.rating.constrained import log_ratio_with_mean, log_ratio_with_t_value
from arena.rating.elo import Z_95, FloatArray, expected_score, normal_cdf
from arena.rating.errors import RatingError
from arena.rating.methods import EloModel
from arena.rating.stopped_walk import StoppedWalk

NELO_PER_T = 800.0 / math.log(10.0)
"""347.4356 nElo: one standard deviation of a match's score."""

FARTHEST = 100_000.0
"""The largest distance of a bound from 0, Elo; beyond it the likelihoods overflow floats."""
NEAREST = 1e-6
"""The least distance between the bounds, Elo; closer ones are not decided within 10^17 matches."""

UNSEEN = 1e-3
"""The count used in place of zero, as in fishtest."""

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The mean score of a block of two matches: LL, LT, TT or WL, WT, WW; T is a tie."""


class SprtState(StrEnum):
    """The state of a test.

    CONTINUE: not decided. ACCEPT: H1, elo1 or more. REJECT: H0, elo0 or less.
    """

    CONTINUE = "continue"
    ACCEPT = "accept"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Bounds:
    """The hypotheses H0: elo0 and H1: elo1, with the error rates of the test.

    alpha is the rate of wrongly accepting H1, beta of wrongly rejecting it.

    Raises:
        RatingError: The bounds do not rise, are too far from 0 or too close to each other, or the
            error rates are not above 0 and together below 1.
    """

    elo0: float
    elo1: float
    model: EloModel = EloModel.NORMALIZED
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise RatingError(f"bounds must be two rising numbers, not {self.elo0}, {self.elo1}")
        if max(-self.elo0, self.elo1) > FARTHEST:
            raise RatingError(f"bounds must lie between -{FARTHEST:,.0f} and {FARTHEST:,.0f} Elo")
        if self.elo1 - self.elo0 < NEAREST:
            raise RatingError(f"bounds must be at least {NEAREST:f} Elo apart")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise RatingError("alpha and beta must be above 0 and below 1 together")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H1 is rejected."""
        return math.log(self.beta) - math.log1p(-self.alpha)

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is accepted."""
        return math.log1p(-self.beta) - math.log(self.alpha)


@dataclass(frozen=True, slots=True)
class BlockCounts:
    """The number of occurrences of each block score.

    Raises:
        RatingError: Scores do not rise or lie outside 0 to 1, counts are negative or not one per
            score, or a block has no match.
    """

    scores: tuple[float, ...]
    """Every score a block can have, ascending: the mean over its matches of the tested bot's points
    against the other, 0 to 1; 1/2 is no difference."""
    counts: tuple[int, ...]
    matches_per_block: int

    def __post_init__(self) -> None:
        if len(self.scores) != len(self.counts) or len(self.scores) < 2:
            raise RatingError("needs at least two block scores, and a count for each")
        if any(later <= score for score, later in zip(self.scores, self.scores[1:], strict=False)):
            raise RatingError(f"block scores must rise: {self.scores}")
        if self.scores[0] < 0 or self.scores[-1] > 1:
            raise RatingError(f"block scores must lie between 0 and 1: {self.scores}")
        if any(count < 0 for count in self.counts):
            raise RatingError(f"counts must not be negative: {self.counts}")
        if self.matches_per_block < 1:
            raise RatingError("a block has at least one match")

    @classmethod
    def of_pairs(cls, counts: Sequence[int]) -> "BlockCounts":
        """Return the counts of pairs of matches: (LL, LT, TT + WL, WT, WW), T being a tie.

        Raises:
            RatingError: There are not five counts.
        """
        if len(counts) != len(PAIR_SCORES):
            raise RatingError(f"needs five counts LL, LT, TT+WL, WT, WW, got {len(counts)}")
        return cls(PAIR_SCORES, tuple(counts), 2)

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Sprt:
    """The current result of a sequential test."""

    llr: float
    lower: float
    upper: float
    state: SprtState
    raw: "EloDifference"
    """The difference by the scores alone, as if the number of blocks had been fixed in advance."""
    blocks: int
    matches: int
    matches_to_go: float
    """The expected number, if the true difference is the observed one; 0 after a stop."""
    one_score: bool
    """Whether all blocks had the same score. Then their variance is unknown, and estimates depend
    on UNSEEN alone and mean nothing."""


@dataclass(frozen=True, slots=True)
class EloDifference:
    """An estimate of the difference between two bots."""

    elo: float
    """Logistic Elo of the mean score."""
    interval: tuple[float, float]
    """95 %, Elo; limited to about ±1200."""
    nelo: float
    """Normalised Elo."""
    los: float
    """Likelihood that the difference is above 0."""


def sprt(observed: BlockCounts, bounds: Bounds) -> Sprt:
    """Return the result of the test.

    Args:
        observed: The block scores so far.
        bounds: The hypotheses and error rates.

    Raises:
        RatingError: Block scores cannot reach the bounds.
    """
    counts, scores = np.array(observed.counts, np.float64), np.array(observed.scores)
    size = observed.matches_per_block
    llr = float(log_likelihood_ratio(counts, scores, bounds, matches_per_block=size))
    total, mean, sd = _moments(counts, scores)
    error = sd / math.sqrt(total)
    state = SprtState.CONTINUE
    if llr >= bounds.upper:
        state = SprtState.ACCEPT
    elif llr <= bounds.lower:
        state = SprtState.REJECT
    spread = sd * math.sqrt(size)
    to_go = expected_matches(bounds, elo=_elo(mean), sd=spread, llr=llr)
    return Sprt(
        llr,
        bounds.lower,
        bounds.upper,
        state,
        _elo_difference(
            mean, (mean - Z_95 * error, mean + Z_95 * error), spread,
            normal_cdf((mean - 0.5) / error),
        ),
        observed.blocks,
        observed.blocks * size,
        0.0 if state is not SprtState.CONTINUE else to_go,
        bool(np.count_nonzero(counts) == 1),
    )  # fmt: skip


def estimate(observed: BlockCounts, bounds: Bounds) -> EloDifference:
    """Return the difference with the effect of the stopping rule removed.

    The Elo is median-unbiased and the interval covers 95 % for a test that stops at its bounds, or
    undecided after a number of blocks fixed in advance. Without a bound near, they are nearly those
    of `Sprt.raw`.

    Args:
        observed: The block scores when the test stopped, or so far.
        bounds: The hypotheses and error rates of the test.

    Raises:
        RatingError: Block scores cannot reach the bounds.
    """
    found = sprt(observed, bounds)
    if not observed.blocks:
        return found.raw
    counts, scores = np.array(observed.counts, np.float64), np.array(observed.scores)
    _, mean, sd = _moments(counts, scores)
    spread = sd * math.sqrt(observed.matches_per_block)
    apart, middle = _hypotheses(bounds, spread)
    away = (mean - 0.5) / spread - middle
    # The LLR has the variance apart^2 and the drift apart * away per match.
    time, at = found.matches * apart**2, found.matches * apart * away
    if found.state is not SprtState.CONTINUE or not bounds.lower < at < bounds.upper:
        # The last block went beyond the bound: the walk was there somewhat earlier. Scores near 0
        # or 1 are not nearly normal: then the walk has the drift of the scores.
        at = min(max(found.llr, bounds.lower), bounds.upper)
        time = at * apart / away if at * away > 0 else time
    walk = StoppedWalk(bounds.lower, bounds.upper, time, at)
    likeliest, low, high = (
        0.5 + spread * (middle + walk.drift(chance) * apart) for chance in (0.5, 0.975, 0.025)
    )
    return _elo_difference(likeliest, (low, high), spread, walk.chance_of_less(-middle / apart))


def _elo_difference(
    mean: float, interval: tuple[float, float], spread: float, los: float
) -> EloDifference:
    """Return a difference by mean scores.

    `spread` is the standard deviation of a match's score.
    """
    # The ends of the interval are kept finite, but never inside its estimate.
    mean = min(max(mean, 0.0), 1.0)
    edge = min(1e-3, mean, 1.0 - mean)
    low, high = (_elo(end, edge) for end in interval)
    return EloDifference(_elo(mean), (low, high), NELO_PER_T * (mean - 0.5) / spread, los)


def _hypotheses(bounds: Bounds, spread: float) -> tuple[float, float]:
    """Return the distance of the hypotheses and their middle, from a mean score of 1/2.

    Both are in standard deviations of a match's score, `spread`.
    """
    if bounds.model is EloModel.NORMALIZED:
        return (bounds.elo1 - bounds.elo0) / NELO_PER_T, 0.5 * (
            bounds.elo0 + bounds.elo1
        ) / NELO_PER_T
    mean0, mean1 = _score(bounds.elo0), _score(bounds.elo1)
    # Means that are nearly 1 are compared by their distances from 1, which floats keep exactly.
    apart = mean1 - mean0 if mean0 < 0.5 else _score(-bounds.elo0) - _score(-bounds.elo1)
    return apart / spread, (0.5 * (mean0 + mean1) - 0.5) / spread


def log_likelihood_ratio(
    counts: FloatArray, scores: FloatArray, bounds: Bounds, *, matches_per_block: int
) -> FloatArray:
    """Return the LLR of many tests at once; 0 for a test without blocks.

    Args:
        counts: (..., k) occurrences of each block score.
        scores: (k,) block scores.
        bounds: The hypotheses.
        matches_per_block: The number of matches in a block.

    Returns:
        (...,) log-likelihood ratios.
    """
    seen = _seen(counts)
    total = seen.sum(axis=-1)
    frequencies = seen / total[..., None]
    if bounds.model is EloModel.LOGISTIC:
        h0, h1 = (
            log_ratio_with_mean(frequencies, scores, _score(elo), _score(-elo))
            for elo in (bounds.elo0, bounds.elo1)
        )
    else:
        # The mean of a block's m matches has a standard deviation sqrt(m) times smaller.
        scale = math.sqrt(matches_per_block) / NELO_PER_T
        h0, h1 = (
            log_ratio_with_t_value(frequencies, scores, 0.5, elo * scale)
            for elo in (bounds.elo0, bounds.elo1)
        )
    llr: FloatArray = total * (frequencies * (h1 - h0)).sum(axis=-1)
    return np.where(counts.sum(axis=-1) > 0, llr, 0.0)


def expected_matches(bounds: Bounds, *, elo: float, sd: float = 0.5, llr: float = 0.0) -> float:
    """Return the expected number of matches from `llr` until the test stops.

    The LLR is approximated by Brownian motion between two absorbing bounds, which is accurate for
    small bounds (Siegmund 1985).

    Args:
        bounds: The hypotheses and error rates.
        elo: The true difference, logistic Elo.
        sd: The standard deviation of a match's score.
        llr: The present log-likelihood ratio.
    """
    apart, middle = _hypotheses(bounds, sd)
    away = (expected_score(elo) - 0.5) / sd - middle
    drift, variance, rate = apart * away, apart**2, 2.0 * away / apart
    below, above = llr - bounds.lower, bounds.upper - llr
    if below <= 0 or above <= 0:
        return 0.0
    if abs(rate) * (below + above) < 1e-6:
        return below * above / variance
    # P(upper bound first), written so that neither exponential can overflow.
    if rate > 0:
        up = math.expm1(-rate * below) / math.expm1(-rate * (below + above))
    else:
        up = math.exp(rate * above) * math.expm1(rate * below) / math.expm1(rate * (below + above))
    return (above * up - below * (1.0 - up)) / drift


def _score(elo: float) -> float:
    """Return the expected score; exact also where it is nearly 0."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def _seen(counts: FloatArray) -> FloatArray:
    """Return the counts with UNSEEN in place of zero."""
    return np.where(counts == 0, UNSEEN, counts)


def _moments(counts: FloatArray, scores: FloatArray) -> tuple[float, float, float]:
    """Return (blocks, mean, standard deviation) of the block scores (k,), with unseen scores."""
    seen = _seen(counts)
    total = float(seen.sum())
    mean = float(seen @ scores) / total
    return total, mean, math.sqrt(float(seen @ (scores - mean) ** 2) / total)


def _elo(mean: float, edge: float = 0.0) -> float:
    """Return the logistic Elo of a mean score kept `edge` away from 0 and 1."""
    mean = min(max(mean, edge), 1.0 - edge)
    return 0.0 if mean == 0.5 else -400.0 * math.log10(1.0 / mean - 1.0)
