"""Comparison of the board's Elo with the exact model (Plackett-Luce with ties).

Ties stretch the strengths of Plackett-Luce compared with an Elo that counts them as half a win, so
the two scales cannot be compared directly. Instead the board's fit is applied to the exact model's
expected result of every pair, in exactly the matches that were played: this is what the board would
show if the exact model were true. Where it differs by more than the 95 % interval, the board says
"model misfit". Often the whole scale is stretched, because ties arise in another way than in the
model; then no bot is displaced. If some bots are still outside the interval after the stretch is
removed, one strength per bot does not explain the results.
"""

from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from arena.rating.bradley_terry import maximise
from arena.rating.clusters import fit_indices
from arena.rating.elo import ELO_PER_NAT, Z_95, FloatArray
from arena.rating.errors import RatingError
from arena.rating.intervals import Intervals
from arena.rating.methods import ScoreRule
from arena.rating.plackett_luce import PlackettLuce, plackett_luce
from arena.rating.results import BotT, MatchColumns, Results

_PIECE = 20_000
_SEATS_MAX = 8
"""The most seats: the number of ways to fill n places grows like 3^n."""


@dataclass(frozen=True, slots=True, eq=False)
class Misfit(Generic[BotT]):
    """The result of the comparison. Arrays (K,) follow `bots`."""

    bots: tuple[BotT, ...]
    shown: FloatArray
    """The board's Elo, mean zero."""
    implied: FloatArray
    """The Elo that the board would show if the exact model were true, mean zero."""
    beyond: NDArray[np.bool_]
    """Whether the two differ by more than the board's 95 % interval."""

    stretch: float
    """The factor between the two scales: the slope of `implied` on `shown`."""
    displaced: NDArray[np.bool_]
    """Whether they still differ by more than the interval after the stretch is removed."""

    @property
    def misfit(self) -> bool:
        """Whether any bot is `beyond` its interval."""
        return bool(self.beyond.any())


def misfit(intervals: Intervals[BotT], results: Results[BotT]) -> Misfit[BotT]:
    """Return the comparison of a fit with the exact model of the same log.

    Args:
        intervals: The board's fit with its intervals, under the score rule PLACEMENT.
        results: The log it was fitted to.

    Raises:
        RatingError: The score rule is not PLACEMENT, or a table has too many seats.
    """
    fit = intervals.fit
    if fit.rule is not ScoreRule.PLACEMENT:
        raise RatingError("the exact model is one of whole placings, not of first places alone")
    exact = plackett_luce(results, prior_sd=fit.prior_sd)
    place = fit_indices(fit, results)
    expected = np.zeros(len(fit.bots) ** 2)
    for table in results.tables:
        expected += _expected(table, exact)
    score = np.empty((len(fit.bots), len(fit.bots)))
    score[np.ix_(place, place)] = expected.reshape(score.shape)
    theta, _ = maximise(score, prior_sd=fit.prior_sd, start=fit.theta)
    shown, implied = ELO_PER_NAT * fit.theta, ELO_PER_NAT * theta
    spread = float(shown @ shown)
    stretch = float(implied @ shown) / spread if spread > 0 else 1.0
    bound = Z_95 * intervals.se_of_mean + 1e-6
    beyond = np.abs(implied - shown) > bound
    displaced = np.abs(implied - stretch * shown) > bound
    return Misfit(fit.bots, shown, implied, beyond, stretch, displaced)


def expected_scores(strengths: FloatArray, ties: dict[int, float]) -> FloatArray:
    """Return the points that i is expected to take from j at each table; a tie is half a point.

    It goes through all ways to fill the places from the top: the probability that a set of bots is
    still unplaced, times that of each choice.

    Args:
        strengths: (n, s), theta in nats by table and seat.
        ties: delta by size of tie.

    Returns:
        (n, s, s) expected points.

    Raises:
        RatingError: The tables have more than 8 seats.
    """
    count, seats = strengths.shape
    if seats > _SEATS_MAX:
        raise RatingError(f"tables of {seats} seats are too large for the exact model")
    bits = ((np.arange(2**seats)[:, None] >> np.arange(seats)) & 1).astype(np.float64)
    sizes = bits.sum(axis=1).astype(int)
    delta = np.array([ties.get(size, 0.0) for size in sizes.tolist()])
    centred = strengths - strengths.max(axis=1, keepdims=True)
    mass = delta * np.exp(centred @ (bits / np.maximum(sizes, 1)[:, None]).T)
    reached = np.zeros((count, 2**seats))
    reached[:, -1] = 1.0
    scores = np.zeros((count, seats * seats))
    for left in range(2**seats - 1, 0, -1):
        if sizes[left] < 2:
            continue
        chosen = np.array([s for s in range(1, left + 1) if s & left == s and delta[s] > 0])
        flow = mass[:, chosen]
        flow *= (reached[:, left] / flow.sum(axis=1))[:, None]
        inside, rest = bits[chosen], bits[left] - bits[chosen]
        gains = inside[:, :, None] * (rest + 0.5 * inside)[:, None, :]
        scores += flow @ gains.reshape(len(chosen), -1)
        reached[:, left ^ chosen] += flow  # each set is left once: no index repeats
    scores = scores.reshape(count, seats, seats)
    scores[:, np.arange(seats), np.arange(seats)] = 0.0
    return scores


def _expected(table: MatchColumns, exact: PlackettLuce[BotT]) -> FloatArray:
    """Return (K * K,) the expected points of every pair over all matches of one table size."""
    count = len(exact.bots)
    total = np.zeros(count * count)
    for start in range(0, len(table), _PIECE):
        bots = table.bots[start : start + _PIECE].astype(np.int64)
        scores = expected_scores(exact.theta[bots], exact.ties)
        key = bots[:, :, None] * count + bots[:, None, :]
        total += np.bincount(key.ravel(), scores.ravel(), minlength=count * count)
    return total
