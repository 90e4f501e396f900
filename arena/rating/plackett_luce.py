"""Exact fit of Plackett-Luce with ties, a check of the composite fit that the board shows.

A ranking is a sequence of choices: the set C of bots in the next place, among those still
unplaced, has probability f(C) / sum over subsets S of f(S), with f(S) = delta_|S| times the
geometric mean of the strengths in S, delta_1 = 1 (Davidson-Luce). Sizes of ties that never
occurred have delta 0. At two seats this is Davidson's model of ties.

Sources: Plackett 1975; Luce 1959; Davidson 1970; Turner, van Etten, Firth & Kosmidis 2020
(Modelling rankings in R: the PlackettLuce package).
"""

from dataclasses import dataclass
from typing import Generic

import numpy as np

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import PRIOR_SD, check_bounded, maximise, prior_precision
from arena.rating.elo import ELO_PER_NAT, FloatArray, IntArray
from arena.rating.errors import RatingError
from arena.rating.results import BotT, Results

_PIECE = 50_000
"""The number of sets whose subsets are listed at once; each has 63 at six seats, 25 MB in all."""


@dataclass(frozen=True, slots=True, eq=False)
class PlackettLuce(Generic[BotT]):
    """The exact fit of K bots; `theta` follows `bots`."""

    bots: tuple[BotT, ...]
    theta: FloatArray
    """(K,): log strengths in nats, mean zero."""
    ties: dict[int, float]
    """delta by size of tie, including size 1; a missing size has delta 0."""
    log_likelihood: float
    """The log-likelihood of all rankings in the log, without the prior."""

    @property
    def elo(self) -> FloatArray:
        """(K,): strengths in Elo, mean zero.

        With ties the scale is not that of the board's Elo: see `misfit`.
        """
        elo: FloatArray = ELO_PER_NAT * self.theta
        return elo


def plackett_luce(
    results: Results[BotT], *, prior_sd: float | None = PRIOR_SD
) -> PlackettLuce[BotT]:
    """Return the most likely strengths and ties, with the board's prior (Turner et al. 2020).

    The log's order has no effect. It costs seconds per million matches and step, so do not call it
    after every match.

    Args:
        results: The log.
        prior_sd: The prior's standard deviation in Elo; None for no prior.

    Raises:
        UnboundedRatingError: There is no prior and no finite fit.
        RatingError: There is no match.
    """
    from scipy.optimize import minimize

    if not len(results):
        raise RatingError("no matches to rate")
    counts = Aggregate.of(results)
    if prior_sd is None:
        check_bounded(counts.bots, counts.score)
    count = len(counts.bots)
    choices = _Choices(results, count)
    precision = prior_precision(prior_sd)

    def cost(parameters: FloatArray) -> tuple[float, FloatArray]:
        theta = parameters[:count]
        value, gradient = choices.log_likelihood(theta, parameters[count:])
        value -= 0.5 * precision * float(theta @ theta)
        gradient[:count] -= precision * theta
        return -value / len(results), -gradient / len(results)

    start, _ = maximise(counts.score, prior_sd=prior_sd or PRIOR_SD)
    found = minimize(
        cost,
        np.r_[start, np.full(len(choices.orders) - 1, -1.0)],
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 5_000, "maxcor": 30, "ftol": 1e-15, "gtol": 1e-9},
    )
    theta = found.x[:count] - found.x[:count].mean()
    value, _ = choices.log_likelihood(theta, found.x[count:])
    deltas = dict(zip(choices.orders.tolist(), [1.0, *np.exp(found.x[count:])], strict=True))
    return PlackettLuce(counts.bots, theta, deltas, value)


def subsets(size: int, orders: IntArray) -> tuple[FloatArray, IntArray]:
    """Return every subset of `size` bots that can share a place.

    Args:
        size: The number of bots.
        orders: The sizes of ties that occur, ascending, including 1.

    Returns:
        Membership divided by the subset's size (m, size), and the index of its size in `orders`
        (m,).
    """
    bits = (np.arange(1, 2**size)[:, None] >> np.arange(size)) & 1
    sizes = bits.sum(axis=1)
    allowed = np.isin(sizes, orders)
    shares: FloatArray = bits[allowed] / sizes[allowed, None]
    return shares, np.searchsorted(orders, sizes[allowed]).astype(np.int64)


class _Choices:
    """The log as choices of the bots in the next place.

    The chosen sets enter the likelihood linearly; the sets to choose from are kept once each, with
    their number of occurrences.
    """

    def __init__(self, results: Results[BotT], count: int) -> None:
        self._chosen = np.zeros(count)
        sizes = np.zeros(1 + max(table.seats for table in results.tables))
        left: dict[int, list[IntArray]] = {}
        for table in results.tables:
            order = np.argsort(table.placings, axis=1, kind="stable")
            bots = np.take_along_axis(table.bots, order, axis=1).astype(np.int64)
            places = np.take_along_axis(table.placings, order, axis=1)
            for first in range(table.seats - 1):
                opens = np.ones(len(table), np.bool_)
                if first:
                    opens = places[:, first] != places[:, first - 1]
                rest, level = (
                    bots[opens, first:],
                    places[opens, first:] == places[opens, first, None],
                )
                tied = level.sum(axis=1)
                weight = (level / tied[:, None]).ravel()
                self._chosen += np.bincount(rest.ravel(), weight, minlength=count)
                sizes += np.bincount(tied, minlength=len(sizes))
                left.setdefault(table.seats - first, []).append(rest)
        sizes[1] = max(sizes[1], 1.0)
        self.orders: IntArray = np.flatnonzero(sizes).astype(np.int64)
        self._ties = sizes[self.orders[1:]]
        self._left = {size: _unique(np.concatenate(sets)) for size, sets in left.items()}

    def log_likelihood(self, theta: FloatArray, log_delta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and its gradient by theta (K,) and by the higher log deltas."""
        value = float(self._chosen @ theta + self._ties @ log_delta)
        by_bot = self._chosen.copy()
        by_order = np.r_[0.0, self._ties]
        all_deltas = np.r_[0.0, log_delta]
        for size, (sets, times) in self._left.items():
            shares, order = subsets(size, self.orders)
            for start in range(0, len(sets), _PIECE):
                some, weight = sets[start : start + _PIECE], times[start : start + _PIECE]
                exponent = theta[some] @ shares.T + all_deltas[order]
                top = exponent.max(axis=1, keepdims=True)
                mass = np.exp(exponent - top)
                total = mass.sum(axis=1, keepdims=True)
                value -= float(weight @ (top + np.log(total))[:, 0])
                mass *= weight[:, None] / total
                by_bot -= np.bincount(some.ravel(), (mass @ shares).ravel(), minlength=len(theta))
                by_order -= np.bincount(order, mass.sum(axis=0), minlength=len(by_order))
        return value, np.r_[by_bot, by_order[1:]]


def _unique(sets: IntArray) -> tuple[IntArray, FloatArray]:
    """Return the distinct sets (n, r) and their numbers of occurrences (n,)."""
    different, times = np.unique(np.sort(sets, axis=1), axis=0, return_counts=True)
    return different, times.astype(np.float64)
