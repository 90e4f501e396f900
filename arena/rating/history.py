"""The history of ratings, computed by replaying the log.

A point is the fit of all matches up to it; the last point is the board itself. The order of the log
affects the points before the last, but never the last.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic

import numpy as np

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import PRIOR_SD, Anchor, Fit, fit
from arena.rating.errors import AnchorError, UnboundedRatingError
from arena.rating.methods import ScoreRule
from arena.rating.results import BotT, Results


@dataclass(frozen=True, slots=True)
class FitAfter(Generic[BotT]):
    """The board after the log's first `matches` matches."""

    matches: int
    fit: Fit[BotT]


def history(
    results: Results[BotT],
    *,
    every: int,
    prior_sd: float | None = PRIOR_SD,
    anchor: Anchor[BotT] | None = None,
    score: ScoreRule = ScoreRule.PLACEMENT,
) -> Iterator[FitAfter[BotT]]:
    """Yield a fit after each `every` matches and at the end; costs one pass and a fit per point.

    Points before the anchor's first match, or without a prior before the first finite fit, are left
    out.

    Args:
        results: The log, in its order.
        every: Matches between two points.
        prior_sd: Standard deviation of the prior, Elo; None for none.
        anchor: The bot whose Elo is fixed.
        score: What counts of a match.

    Raises:
        AnchorError: At the end the anchor has no match.
        UnboundedRatingError: At the end some rating is not finite, without a prior.
    """
    if every < 1:
        raise ValueError(f"every must be at least 1, not {every}")
    running = Aggregate(score, results.bots)
    latest: Fit[BotT] | None = None
    for start in range(0, len(results), every):
        end = min(start + every, len(results))
        for table in results.tables:
            first, last = np.searchsorted(table.numbers, (start, end))
            running.add_table(table.rows(slice(int(first), int(last))))
        start_from = {} if latest is None else latest.nats()
        try:
            latest = fit(running, prior_sd=prior_sd, anchor=anchor, start=start_from)
        except (AnchorError, UnboundedRatingError):
            if end == len(results):
                raise
            continue
        yield FitAfter(end, latest)
