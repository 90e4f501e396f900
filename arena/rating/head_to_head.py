"""Head-to-head results: the matrix of wins, ties and losses by pair, and the worst residual.

A single number cannot show that an equilibrium bot beats everyone and is still rated below a bot
that exploits weak ones; the matrix can.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Fit
from arena.rating.elo import Z_95, FloatArray, IntArray, win_probabilities
from arena.rating.results import BotT


@dataclass(frozen=True, slots=True, eq=False)
class HeadToHead(Generic[BotT]):
    """The results of all pairs; arrays (K, K) follow `bots`, row against column."""

    bots: tuple[BotT, ...]
    wins: IntArray
    ties: IntArray
    losses: IntArray
    share: FloatArray
    """Points per comparison, a tie being half a point; NaN where two bots never met."""
    low: FloatArray
    high: FloatArray
    """Ends of the 95 % Wilson interval of the share; 0 and 1 where two bots never met."""


@dataclass(frozen=True, slots=True)
class Residual(Generic[BotT]):
    """A pair whose results the two ratings explain worst."""

    bot: BotT
    opponent: BotT
    expected: float
    """The share that the ratings predict for `bot`, 0 to 1."""
    actual: float
    """The share that `bot` took, 0 to 1."""
    pairs: float
    deviations: float
    """(actual - expected) in binomial standard deviations."""


def wilson(
    points: FloatArray, comparisons: FloatArray, z: float = Z_95
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the interval of a share (Wilson 1927).

    It is never outside [0, 1] and never empty, also at 0 % and 100 %. Ties count as half a point;
    they make the interval wider than necessary. Without comparisons it is [0, 1].

    Args:
        points: Points taken, any shape.
        comparisons: Comparisons made, of the same shape; they need not be whole.
        z: The half width in standard errors; by default that of a 95 % interval.

    Returns:
        (low, high), both of that shape.
    """
    met = comparisons > 0
    n = np.where(met, comparisons, 1.0)
    share = points / n
    middle = share + z**2 / (2.0 * n)
    reach = z * np.sqrt(share * (1.0 - share) / n + z**2 / (4.0 * n**2))
    scale = 1.0 + z**2 / n
    low: FloatArray = np.where(met & (share > 0), np.maximum(0.0, (middle - reach) / scale), 0.0)
    high: FloatArray = np.where(met & (share < 1), np.minimum(1.0, (middle + reach) / scale), 1.0)
    return low, high


def head_to_head(counts: Aggregate[BotT] | Fit[BotT]) -> HeadToHead[BotT]:
    """Return the matrix of results behind an aggregate or a fit, under its score rule."""
    pairs, score = counts.pairs, counts.score
    low, high = wilson(score, pairs)
    share = np.where(pairs > 0, score / np.maximum(pairs, 1.0), np.nan)
    wins = counts.wins.copy()
    return HeadToHead(counts.bots, wins, counts.ties.copy(), wins.T.copy(), share, low, high)


def in_order(matrix: HeadToHead[BotT], bots: Sequence[BotT]) -> HeadToHead[BotT]:
    """Return the matrix restricted to `bots`, in their order."""
    at = [matrix.bots.index(bot) for bot in bots]
    chosen = np.ix_(at, at)
    return HeadToHead(
        tuple(bots),
        matrix.wins[chosen],
        matrix.ties[chosen],
        matrix.losses[chosen],
        matrix.share[chosen],
        matrix.low[chosen],
        matrix.high[chosen],
    )


def worst_residual(fit: Fit[BotT], *, fewest: int = 20) -> Residual[BotT] | None:
    """Return the pair whose result is farthest from its prediction.

    Large values (above about 4) mean that one number per bot does not describe this pair: one bot
    exploits a weakness of the other.

    Args:
        fit: The fit that predicts.
        fewest: The fewest comparisons that a pair needs to be considered.

    Returns:
        The pair, named from the bot that did better than predicted; None if no pair has enough
        comparisons.
    """
    pairs, expected = fit.pairs, win_probabilities(fit.theta)
    surplus = fit.score - pairs * expected
    spread = np.sqrt(np.maximum(pairs * expected * (1.0 - expected), np.finfo(float).tiny))
    deviations = np.where(pairs >= max(fewest, 1), surplus / spread, -np.inf)
    if not np.isfinite(deviations).any():
        return None
    # The matrix is antisymmetric: the largest entry names the bot that did better than expected.
    i, j = np.unravel_index(int(np.argmax(deviations)), deviations.shape)
    return Residual(
        fit.bots[i],
        fit.bots[j],
        float(expected[i, j]),
        float(fit.score[i, j] / pairs[i, j]),
        float(pairs[i, j]),
        float(deviations[i, j]),
    )
