"""The difference of two versions' results on the same blocks, with its interval.

In each block both versions played once, under the same conditions; what they share cancels in the
difference. With x = 1/2 + (one - other) / 2 of a block, from 0 to 1, the interval is Wilson's of
the mean of x for an effective number of blocks: their number divided by the design effect, the
variance of x divided by p (1 - p) (Kish 1965). Both variances are those with one more block of
1/2 ± 1/2, so that blocks without any difference leave some doubt.
"""

from dataclasses import dataclass

import numpy as np

from arena.rating.elo import Z_95, FloatArray
from arena.rating.errors import RatingError
from arena.rating.head_to_head import wilson
from arena.rating.luck import luck_adjusted

FEWEST_BLOCKS = 20
"""The fewest blocks from which luck is removed."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """A mean difference, from -1 to 1, and the ends of its 95 % interval."""

    blocks: int
    difference: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AdjustedDifference(PairedDifference):
    """The same without the luck that is known."""

    variance_factor: float
    """Its variance as a part of that of the plain difference."""


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
    """Return whether there are FEWEST_BLOCKS blocks, and not all have the same difference."""
    return len(one) >= FEWEST_BLOCKS and bool(np.ptp(one - other))


def adjusted_difference(
    one: FloatArray, other: FloatArray, luck: FloatArray
) -> AdjustedDifference | None:
    """Return the difference without luck, by regression on it (`arena.rating.luck`).

    Args:
        one: (n,) the results of one version by block, from 0 to 1.
        other: (n,) those of the other.
        luck: (n, q), the luck of both in q estimates of mean zero.

    Returns:
        The difference; None with fewer than FEWEST_BLOCKS blocks, and if all blocks are alike.
    """
    if not can_be_adjusted(one, other):
        return None
    found = luck_adjusted(one - other, luck)
    reach = Z_95 * found.adjusted_se
    mean = min(1.0, max(-1.0, found.adjusted))
    low, high = max(-1.0, found.adjusted - reach), min(1.0, found.adjusted + reach)
    return AdjustedDifference(found.blocks, mean, low, high, found.variance_factor)
