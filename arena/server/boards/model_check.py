"""Checks of whether one number per bot describes a ladder well; they take seconds.

The exact model (Plackett-Luce with ties) is compared with the board's, and the Nash weights get
bootstrap intervals. For a long log both use a sample of whole blocks and report its size. They run
on request only, never as part of a live board.
"""

from dataclasses import dataclass

import numpy as np

from arena.rating.aggregate import Aggregate
from arena.rating.bootstrap import resampled
from arena.rating.bradley_terry import fit
from arena.rating.intervals import intervals
from arena.rating.methods import ScoreRule
from arena.rating.misfit import misfit
from arena.rating.nash import nash_bootstrap
from arena.rating.results import Results
from arena.records import VersionId

MOST_MATCHES = 20_000
"""The largest number of matches in a check, which takes a few seconds at six seats."""
REPLICATES = 100
"""The number of bootstrap replicates."""
_SEED = 20250601
"""The seed of the bootstrap, so that the same log gives the same intervals."""


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """The result of the checks, from `looked_at` of `matches` matches."""

    matches: int
    looked_at: int
    misfit: bool | None
    """Whether the exact model disagrees beyond some bot's 95 % interval.

    None under the score rule `winner`, which the exact model does not support.
    """
    stretch: float | None
    """The factor between the two scales; usually the only disagreement."""
    displaced: tuple[VersionId, ...]
    """The bots that disagree after the stretch is removed: one strength does not describe them."""
    nash_interval: dict[VersionId, tuple[float, float]]
    """The 95 % interval of each bot's Nash weight, by bootstrap."""


def model_check(
    log: Results[VersionId],
    *,
    score: ScoreRule = ScoreRule.PLACEMENT,
    most: int = MOST_MATCHES,
    replicates: int = REPLICATES,
) -> ModelCheck | None:
    """Return the checks of a log; None without a match."""
    if not len(log):
        return None
    sample = log.every(-(-len(log) // most))
    measured = intervals(fit(Aggregate.of(sample, score)), sample)
    found, bots = None, measured.fit.bots
    if score is ScoreRule.PLACEMENT:
        found = misfit(measured, sample)
    weights = nash_bootstrap(
        measured.fit,
        resampled(measured.fit, sample, np.random.default_rng(_SEED), replicates=replicates),
    )
    low, high = np.quantile(weights, (0.025, 0.975), axis=0).tolist()
    return ModelCheck(
        len(log),
        len(sample),
        None if found is None else found.misfit,
        None if found is None else found.stretch,
        ()
        if found is None
        else tuple(bot for bot, out in zip(bots, found.displaced, strict=True) if out),
        dict(zip(bots, zip(low, high, strict=True), strict=True)),
    )
