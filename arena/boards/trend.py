"""The trend of a ladder's ratings: what its latest matches changed."""

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Fit, fit
from arena.records import VersionId

TREND_SHARE = 0.1
"""The latest part of a ladder's matches, whose effect the trend is."""
TREND_EVENTS = 20_000
"""Matches of that part are among so many rating events, of all ladders, up to the ladder's last:
to read a tenth of any log would cost the more the longer it is."""
FEWEST_MATCHES = 50
"""A ladder of fewer matches has no trend: all of it is new."""


def rating_trend(then: Aggregate[VersionId], now: Fit[VersionId]) -> dict[VersionId, float]:
    """The Elo that each version gained since `then`, which lacks the latest matches; without those
    that had not played before. Empty if the anchor had not."""
    known = dict(zip(then.bots, then.matches.tolist(), strict=True))
    if now.anchor is not None and not known[now.anchor.bot]:
        return {}
    if not any(known.values()):
        return {}
    before = fit(then, anchor=now.anchor, start=now.nats()).ratings()
    return {
        version: elo - before[version]
        for version, elo in now.ratings().items()
        if version in before
    }
