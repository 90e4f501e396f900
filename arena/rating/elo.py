"""The Elo scale: units and expected scores.

Computations use nats, theta = R ln 10 / 400; everything shown is in Elo.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

ELO_PER_NAT = 400.0 / math.log(10.0)
"""173.7178 Elo: one unit of theta."""

Z_95 = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""


def expected_score(difference: float) -> float:
    """Return the expected score, 0 to 1, of a bot rated `difference` Elo above its opponent.

    A tie is half a point.
    """
    return 0.5 + 0.5 * math.tanh(0.5 * difference / ELO_PER_NAT)


def win_probabilities(theta: FloatArray) -> FloatArray:
    """Return P (K, K), the probability that i is placed above j; 1/2 at i = j.

    Args:
        theta: (K,) ratings in nats.
    """
    half = 0.5 * theta
    # tanh never overflows, unlike exp. In place: with many bots each copy costs as much.
    probabilities: FloatArray = np.subtract.outer(half, half)
    np.tanh(probabilities, out=probabilities)
    probabilities *= 0.5
    probabilities += 0.5
    return probabilities


def normal_cdf(z: float) -> float:
    """Return the standard normal distribution function at z, exact in both tails."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))
