"""The variance factor of blocks: the variance of a block's mean against independent matches.

    factor = m Var(mean of a block's m matches) / Var(a match)

1: a block of m matches is worth m independent matches with fresh deals and random seats. 0.75: it
is worth m / 0.75 matches. 0: the bots play identically, and luck cancels completely.

With several bots both variances are summed over the bots. The error is computed from the scatter of
the blocks (a ratio estimator, by linearisation; Cochran, Sampling Techniques, section 6.3), so
nothing is assumed about the matches within a block.
"""

from dataclasses import dataclass

import numpy as np

from arena.rating.elo import Z_95, FloatArray
from arena.rating.errors import RatingError

FEWEST_BLOCKS = 20
"""With fewer blocks the factor is too uncertain to report."""


@dataclass(frozen=True, slots=True)
class VarianceFactor:
    """The measured factor and its 95 % interval."""

    factor: float
    interval: tuple[float, float]
    blocks: int
    matches_per_block: int


def variance_factor(scores: FloatArray) -> VarianceFactor | None:
    """Return the variance factor of blocks of matches, with its 95 % interval.

    Args:
        scores: (blocks, matches, bots), in any unit.

    Returns:
        The factor; None for fewer than FEWEST_BLOCKS blocks, or if all matches had the same scores.

    Raises:
        RatingError: The blocks have one match each.
    """
    blocks, size, _ = scores.shape
    if size < 2:
        raise RatingError("a block of one match saves nothing")
    if blocks < FEWEST_BLOCKS:
        return None
    deviations = scores - scores.mean(axis=(0, 1))
    of_means = size * (deviations.mean(axis=1) ** 2).sum(axis=1)
    of_matches = (deviations**2).mean(axis=1).sum(axis=1)
    if not of_matches.any():
        return None
    # Corrects for deviations being from the mean of the same blocks, which matters for few blocks.
    of_means *= blocks / (blocks - 1) * (1 - 1 / (blocks * size))
    factor = float(of_means.sum() / of_matches.sum())
    residuals = of_means - factor * of_matches
    error = float(np.sqrt((residuals**2).sum() / (blocks - 1) * blocks) / of_matches.sum())
    reach = Z_95 * error
    return VarianceFactor(factor, (max(0.0, factor - reach), factor + reach), blocks, size)
