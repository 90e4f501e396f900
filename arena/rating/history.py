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
    """The fit of the log's first `matches` matches."""

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
    """Yield a fit after each `every` matches and one at the end.

    It costs one pass over the log and a fit per point. Points before the anchor's first match, or
    without a prior before the first finite fit, are left out.

    Args:
        results: The log.
        every: The number of matches from one point to the next, at least 1.
        prior_sd: The prior's standard deviation in Elo; None for no prior.
        anchor: The bot with a fixed Elo.
        score: The score rule.

    Raises:
        AnchorError: The anchor has no match even at the end.
        UnboundedRatingError: Without a prior there is no finite fit even at the end.
        ValueError: `every` is below 1.
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
