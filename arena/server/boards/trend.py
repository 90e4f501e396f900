"""The trend of a ladder's ratings: what its latest matches changed."""

from math import sqrt

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import fit
from arena.rating.elo import Z_95
from arena.rating.intervals import Intervals
from arena.records import VersionId

TREND_SHARE = 0.1
"""The latest part of a ladder's matches, whose effect the trend is."""
TREND_EVENTS = 20_000
"""Matches of that part are among so many rating events, of all ladders, up to the ladder's last:
to read a tenth of any log would cost the more the longer it is."""
FEWEST_MATCHES = 50
"""A ladder of fewer matches has no trend: all of it is new."""


def rating_trend(then: Aggregate[VersionId], now: Intervals[VersionId]) -> dict[VersionId, float]:
    """Return the Elo that each version gained since `then`, which lacks the latest matches.

    Without those whose gain may be chance (95 %), and those that had not played before. Empty if
    the anchor had not.
    """
    known = dict(zip(then.bots, then.matches.tolist(), strict=True))
    anchor = now.fit.anchor
    if anchor is not None and not known[anchor.bot]:
        return {}
    if not any(known.values()):
        return {}
    before = fit(then, anchor=anchor, start=now.fit.nats()).ratings()
    played = dict(zip(now.fit.bots, now.fit.matches.tolist(), strict=True))
    errors = dict(zip(now.fit.bots, now.se.tolist(), strict=True))
    share = 1 - sum(known.values()) / sum(played.values())
    if not 0 < share < 1:  # `then` is not of before
        return {}
    gained = {
        version: elo - before[version]
        for version, elo in now.fit.ratings().items()
        if version in before and 0 < known[version] <= played[version]
    }
    # Of a rating by n matches with an error e, that by the first n - k of them has e sqrt(n/(n-k)),
    # and their difference e sqrt(k/(n-k)). A rating moves with those of others, too, so that k is
    # not taken for less than the latest matches are of the ladder.
    lately = {version: max(share, 1 - known[version] / played[version]) for version in gained}
    return {
        version: gain
        for version, gain in gained.items()
        if abs(gain) > Z_95 * errors[version] * sqrt(lately[version] / (1 - lately[version]))
    }
