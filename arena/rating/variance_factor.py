"""What playing in blocks saves: the variance of a block's mean against that of independent matches.

    factor = m Var(mean of a block's m matches) / Var(a match)

1: a block of m matches tells as much as m matches on their own, with fresh deals and whoever in
whatever seat. 0.75: as much as m / 0.75. 0: the same bots in all but name, luck cancels entirely.

With several bots both variances are summed over the bots. The error comes from the blocks' own
scatter (a ratio estimator's, by linearisation; Cochran, Sampling Techniques, section 6.3), so that
nothing is assumed of the matches within a block.
"""

from dataclasses import dataclass

import numpy as np

from arena.rating.elo import Z_95, FloatArray
from arena.rating.errors import RatingError

FEWEST_BLOCKS = 20
"""Fewer say too little to put a number on."""


@dataclass(frozen=True, slots=True)
class VarianceFactor:
    """The measured factor and its 95 % interval."""

    factor: float
    interval: tuple[float, float]
    blocks: int
    matches_per_block: int


def variance_factor(scores: FloatArray) -> VarianceFactor | None:
    """The factor of blocks: scores (blocks, matches, bots), in any unit.

    None for fewer than FEWEST_BLOCKS, and where all matches ended alike. Raises RatingError for
    blocks of one match.
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
    # Deviations are from a mean out of the same blocks, which few blocks would feel.
    of_means *= blocks / (blocks - 1) * (1 - 1 / (blocks * size))
    factor = float(of_means.sum() / of_matches.sum())
    residuals = of_means - factor * of_matches
    error = float(np.sqrt((residuals**2).sum() / (blocks - 1) * blocks) / of_matches.sum())
    reach = Z_95 * error
    return VarianceFactor(factor, (max(0.0, factor - reach), factor + reach), blocks, size)
