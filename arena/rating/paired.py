"""The difference of two versions' results on the same blocks, with its interval.

In each block both versions played once, under the same conditions; what they share cancels in the
difference. With x = 1/2 + (one - other) / 2 of a block, from 0 to 1, the interval is Wilson's of
the mean of x for an effective number of blocks: their number divided by the design effect, the
variance of x divided by p (1 - p) (Kish 1965). Both variances include one more block of 1/2 ± 1/2,
so that blocks without any difference still leave some uncertainty.
"""

from dataclasses import dataclass

import numpy as np

from arena.rating.elo import Z_95, FloatArray
from arena.rating.errors import RatingError
from arena.rating.head_to_head import wilson
from arena.rating.luck import FEWEST_BLOCKS, FEWEST_OF_EACH, ROUNDING, luck_adjusted


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """A mean difference, from -1 to 1, and the ends of its 95 % interval."""

    blocks: int
    difference: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AdjustedDifference(PairedDifference):
    """A mean difference that is adjusted for known luck."""

    variance_factor: float
    """Its variance divided by that of the plain difference."""


def paired_difference(one: FloatArray, other: FloatArray) -> PairedDifference:
    """Return the difference of two versions.

    Args:
        one: (n,) the results of one version by block, from 0 to 1.
        other: (n,) those of the other.

    Raises:
        RatingError: There are no blocks.
    """
    scores = (1 + one - other) / 2
    blocks = len(scores)
    if not blocks:
        raise RatingError("there are no blocks")
    mean = float(scores.mean())
    smoothed = (mean * blocks + 0.5) / (blocks + 1)
    one_more = smoothed * (1 - smoothed)
    effect = 1.0
    if blocks > 1:
        scatter = float(((scores - mean) ** 2).sum()) * blocks / (blocks - 1)
        effect = (scatter + one_more) / (blocks * mean * (1 - mean) + one_more)
    worth = np.array([blocks / effect])
    low, high = wilson(mean * worth, worth)
    return PairedDifference(blocks, 2 * mean - 1, 2 * float(low[0]) - 1, 2 * float(high[0]) - 1)


def can_be_adjusted(one: FloatArray, other: FloatArray) -> bool:
    """Return whether luck can be taken out of the difference.

    As for a share, there must be FEWEST_BLOCKS blocks, and FEWEST_OF_EACH that differ from the
    others: a regression can explain fewer completely, which gives an interval without width.
    """
    if len(one) < FEWEST_BLOCKS:
        return False
    _, alike = np.unique(one - other, return_counts=True)
    return len(one) - int(alike.max()) >= FEWEST_OF_EACH


def adjusted_difference(
    one: FloatArray, other: FloatArray, luck: FloatArray
) -> AdjustedDifference | None:
    """Return the difference without luck, by regression on it (`arena.rating.luck`).

    Args:
        one: (n,) the results of one version by block, from 0 to 1.
        other: (n,) those of the other.
        luck: (n, q), the luck of both in q estimates of mean zero.

    Returns:
        The difference; None where it cannot be adjusted, or where that gains nothing.
    """
    if not can_be_adjusted(one, other):
        return None
    found = luck_adjusted(one - other, luck)
    if found.variance_factor >= 1 - ROUNDING:
        return None
    reach = Z_95 * found.adjusted_se
    mean = min(1.0, max(-1.0, found.adjusted))
    low, high = max(-1.0, found.adjusted - reach), min(1.0, found.adjusted + reach)
    return AdjustedDifference(found.blocks, mean, low, high, found.variance_factor)
