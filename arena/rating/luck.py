"""Luck adjustment of a mean by a control variate.

A luck covariate is a number per block whose expectation is known to be zero for any behaviour of
the bots, such as the summed value of the dice drawn, by a fixed, versioned table. Where outcomes
correlate with it, subtracting its share leaves the same mean with less noise. The gain is always
measured, and the raw estimate stays the official one.

Source: regression estimators, e.g. Glynn & Szechtman 2002; in poker, AIVAT (Burch et al. 2018).
"""

from dataclasses import dataclass

import numpy as np

from arena.rating.elo import FloatArray
from arena.rating.errors import RatingError


@dataclass(frozen=True, slots=True)
class AdjustedMean:
    """The mean outcome of a block, raw and luck-adjusted, in the unit of the outcomes."""

    blocks: int
    raw: float
    raw_se: float
    adjusted: float
    adjusted_se: float
    coefficients: tuple[float, ...]
    """Change of the outcome per unit of each covariate."""
    variance_factor: float
    """adjusted_se^2 / raw_se^2: 1 is no gain, 0.67 is worth 50 % more blocks."""


def luck_adjusted(outcomes: FloatArray, luck: FloatArray) -> AdjustedMean:
    """Return the mean outcome of a block, raw and adjusted for luck by regression.

    adjusted = intercept of the least-squares fit of outcomes on luck = mean(y) - beta . mean(x),
    with the usual variance of an intercept (Glynn & Szechtman 2002). beta comes from the same
    blocks, a bias of order 1/n.

    Args:
        outcomes: (n,), one per independent block, in any unit.
        luck: (n,) or (n, q), covariates of expectation zero.

    Raises:
        RatingError: There are fewer than q + 3 blocks, or outcomes and luck differ in length.
    """
    columns = luck.reshape(len(luck), -1) if luck.ndim <= 2 else luck
    blocks, covariates = columns.shape
    if len(outcomes) != blocks:
        raise RatingError(f"{len(outcomes)} outcomes but {blocks} rows of luck")
    if blocks < covariates + 3:
        raise RatingError(f"{blocks} blocks are too few for {covariates} covariate(s)")
    raw = float(outcomes.mean())
    raw_variance = float(outcomes.var(ddof=1)) / blocks
    means = columns.mean(axis=0)
    centred = columns - means
    # A covariate that never varies has no effect; rounding must not make it appear to vary.
    centred[:, np.ptp(columns, axis=0) <= 1e-12 * np.abs(columns).max(axis=0)] = 0.0
    inverse = np.linalg.pinv(centred.T @ centred, hermitian=True)
    beta = inverse @ (centred.T @ (outcomes - raw))
    rank = int(np.linalg.matrix_rank(centred))
    residuals = outcomes - raw - centred @ beta
    noise = float(residuals @ residuals) / (blocks - 1 - rank)
    variance = noise * (1.0 / blocks + float(means @ inverse @ means))
    return AdjustedMean(
        blocks,
        raw,
        raw_variance**0.5,
        raw - float(means @ beta),
        variance**0.5,
        tuple(beta.tolist()),
        variance / raw_variance if raw_variance > 0 else 1.0,
    )
