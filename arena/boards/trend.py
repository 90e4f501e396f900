"""The trend of a ladder's ratings: what its latest matches changed."""

from arena.boards.board import CENTRE
from arena.rating.bradley_terry import Anchor
from arena.rating.history import history
from arena.rating.methods import ScoreRule
from arena.rating.results import Results
from arena.records import VersionId

TREND_SHARE = 0.1
"""The latest part of a ladder's matches, whose effect the trend is."""
FEWEST_MATCHES = 50
"""A ladder of fewer matches has no trend: all of it is new."""


def rating_trend(
    log: Results[VersionId],
    *,
    anchor: VersionId | None,
    score: ScoreRule = ScoreRule.PLACEMENT,
) -> dict[VersionId, float]:
    """The Elo that each version gained by the latest TREND_SHARE of the matches; without those
    that had not played before. Two fits, whatever the length of the log."""
    count = len(log)
    if count < FEWEST_MATCHES:
        return {}
    fixed = None if anchor is None else Anchor(anchor, CENTRE)
    every = count - int(count * TREND_SHARE)
    points = [moment.fit for moment in history(log, every=every, anchor=fixed, score=score)]
    if len(points) < 2:  # the anchor is new itself
        return {}
    then, now = points
    rows = zip(then.bots, then.matches.tolist(), then.elo.tolist(), strict=True)
    before = {version: elo for version, matches, elo in rows if matches}
    ratings = zip(now.bots, now.elo.tolist(), strict=True)
    return {version: elo - before[version] for version, elo in ratings if version in before}
