"""Confidence sequences: intervals of a mean that hold at every look, however often one looks.

A 95 % interval holds at one moment that is chosen beforehand. Looking every day and stopping when
the interval excludes 1/2 is wrong far more often than once in twenty. A confidence sequence holds
at all moments together with probability 95 %.

For values in [0, 1] with mean p, the mixture over a uniform q of the likelihood ratios

    prod_i (q / p)^x_i ((1 - q) / (1 - p))^(1 - x_i)

is a supermartingale, because each factor is convex in x and so at most linear between its ends. By
Ville's inequality it ever exceeds 1/alpha with probability alpha at most. With the sum s of n
values the mixture is B(s + 1, n - s + 1) / (p^s (1 - p)^(n - s)), B being the beta function, and
the interval contains all p for which it is below 1/alpha. So it needs only the sum and the number
of the values.

Sources: Ville 1939; Robbins 1970; Waudby-Smith and Ramdas 2024 (means of bounded values, by bets).
"""

import math
from collections.abc import Callable
from typing import Final

_LOG_LIMIT: Final = math.log(20)
"""ln(1 / alpha) for 95 %."""
_STEPS: Final = 60
"""Halvings of an interval: to about 1e-18."""


def confidence_sequence(total: float, count: float) -> tuple[float, float]:
    """Return the ends of a 95 % confidence sequence of a mean.

    Args:
        total: The sum of independent values from 0 to 1, such as points of matches or blocks.
        count: The number of values.

    Returns:
        The ends, 0 to 1; (0, 1) without values.
    """
    if not count:
        return 0.0, 1.0
    mean = min(1.0, max(0.0, total / count))

    def excluded(p: float) -> bool:
        return log_evidence(total, count, p) > _LOG_LIMIT

    return _end(mean, 0.0, excluded), _end(mean, 1.0, excluded)


def log_evidence(total: float, count: float, mean: float) -> float:
    """Return the natural logarithm of the mixture, which is the evidence against a mean.

    If it is the true mean, the mixture ever exceeds 1/alpha with probability alpha at most.

    Args:
        total: The sum of independent values from 0 to 1.
        count: The number of values.
        mean: The mean p, 0 to 1.
    """
    if (mean <= 0 and total > 0) or (mean >= 1 and total < count):
        return math.inf
    mixture = math.lgamma(total + 1) + math.lgamma(count - total + 1) - math.lgamma(count + 2)
    likelihood = (total * math.log(mean) if total else 0.0) + (
        (count - total) * math.log1p(-mean) if total < count else 0.0
    )
    return mixture - likelihood


def _end(inside: float, outside: float, excluded: Callable[[float], bool]) -> float:
    """Return where the interval around `inside` ends, on the side of `outside`."""
    if not excluded(outside):
        return outside
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        if excluded(middle):
            outside = middle
        else:
            inside = middle
    return outside
