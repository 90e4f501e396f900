"""Nash averaging: the weight of each bot in an equilibrium of the game of choosing a bot to play.

The bots' logit matrix is a symmetric zero-sum game of choosing bots; its maximum-entropy
equilibrium gives each bot a weight. Copies of a weak bot cannot raise a bot that exploits it,
because weak bots have weight 0. The value of a bot is its expected advantage, in Elo, over the
equilibrium: 0 for all bots with weight, negative for the rest.

Small changes of the data make it jump, so it is a second column, never the sort key, and is read
with its bootstrap. Source: Balduzzi, Tuyls, Perolat & Graepel 2018 (Re-evaluating Evaluation).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic

import numpy as np

from arena.rating.bradley_terry import Fit, maximise
from arena.rating.elo import ELO_PER_NAT, FloatArray, IntArray, win_probabilities
from arena.rating.errors import RatingError
from arena.rating.results import BotT


@dataclass(frozen=True, slots=True, eq=False)
class NashAverage(Generic[BotT]):
    """The Nash average of a pool. Arrays (K,) follow `bots`."""

    bots: tuple[BotT, ...]
    weight: FloatArray
    """Probabilities of the bots in the maximum-entropy equilibrium."""
    value: FloatArray
    """Expected advantage over the equilibrium, Elo; never above 0 except by rounding."""


def nash_average(fit: Fit[BotT]) -> NashAverage[BotT]:
    """Return the Nash average of the results behind a fit (Balduzzi et al. 2018; see `logits`)."""
    game = logits(fit.score, fit.theta)
    weight = equilibrium(game)
    return NashAverage(fit.bots, weight, ELO_PER_NAT * (game @ weight))


def nash_bootstrap(fit: Fit[BotT], resampled: Iterable[FloatArray]) -> FloatArray:
    """Return the weights of the bots in each replicate of a bootstrap.

    Args:
        fit: The fit whose prior is used.
        resampled: W (K, K) of each replicate, from `bootstrap.resampled`.

    Returns:
        (replicates, K) weights.
    """
    weights = []
    for score in resampled:
        theta, _ = maximise(score, prior_sd=fit.prior_sd, start=fit.theta)
        weights.append(equilibrium(logits(score, theta)))
    return np.array(weights).reshape(-1, len(fit.bots))


def logits(score: FloatArray, theta: FloatArray) -> FloatArray:
    """Return the antisymmetric matrix (K, K) of ln(p / (1 - p)), in nats.

    p is the share i took from j, with one added comparison whose result is what the ratings
    predict: the logits of shares 0 and 1 stay finite, and pairs that never met use the prediction.

    Args:
        score: W (K, K), the points i took from j.
        theta: (K,) ratings in nats.
    """
    predicted = win_probabilities(theta)
    points = score + predicted
    game: FloatArray = np.log(points) - np.log(points.T)
    return game


def equilibrium(game: FloatArray) -> FloatArray:
    """Return the maximum-entropy equilibrium (K,) of an antisymmetric payoff matrix.

    A linear program finds an equilibrium with the largest support (one with x_i > 0 wherever any
    equilibrium has it: strict complementarity, Goldman & Tucker 1956). If others share that
    support, the entropy is maximised over it through the dual, which is smooth and has only sign
    constraints.

    Args:
        game: (K, K), what i gains against j.

    Returns:
        (K,) probabilities.

    Raises:
        RatingError: The linear program found no solution.
    """
    from scipy.optimize import linprog, minimize

    count = len(game)
    if count == 1:
        return np.ones(1)
    scale = max(float(np.abs(game).max()), 1e-300)
    payoff = game / scale
    # Maximise t subject to: x is a distribution, no bot gains against it (payoff @ x <= 0), and
    # each bot's weight plus its loss is at least t.
    slack = np.hstack([payoff - np.eye(count), np.ones((count, 1))])
    program = linprog(
        np.r_[np.zeros(count), -1.0],
        A_ub=np.vstack([np.hstack([payoff, np.zeros((count, 1))]), slack]),
        b_ub=np.zeros(2 * count),
        A_eq=np.r_[np.ones(count), 0.0][None, :],
        b_eq=[1.0],
        bounds=[(0.0, None)] * count + [(None, None)],
        method="highs",
    )
    if program.x is None:
        raise RatingError(f"no equilibrium found: {program.message}")
    mixed: FloatArray = np.maximum(program.x[:count], 0.0)
    support: IntArray = np.flatnonzero(mixed > -(payoff @ mixed))
    outside = np.setdiff1d(np.arange(count), support)
    equal = payoff[np.ix_(support, support)]
    weight = np.zeros(count)
    if np.linalg.matrix_rank(equal, tol=1e-9) >= len(support) - 1:
        weight[support] = mixed[support] / mixed[support].sum()
        return weight

    constraints = np.vstack([equal, payoff[np.ix_(outside, support)]])

    def dual(multipliers: FloatArray) -> tuple[float, FloatArray]:
        exponent = -(constraints.T @ multipliers)
        top = float(exponent.max())
        mass = np.exp(exponent - top)
        return top + float(np.log(mass.sum())), -(constraints @ (mass / mass.sum()))

    found = minimize(
        dual,
        np.zeros(count),
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None)] * len(support) + [(0.0, None)] * len(outside),
        options={"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-10},
    )
    exponent = -(constraints.T @ found.x)
    mass = np.exp(exponent - exponent.max())
    weight[support] = mass / mass.sum()
    return weight
