"""The trend of a ladder's ratings: the change by its latest matches."""

from math import sqrt

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import fit
from arena.rating.elo import Z_95
from arena.rating.intervals import Intervals
from arena.records import VersionId

TREND_SHARE = 0.1
"""The share of a ladder's matches, the latest, whose effect is the trend."""
TREND_EVENTS = 20_000
"""The number of rating events, of all ladders, that are searched for these matches.

The search goes back from the ladder's last event. Without this bound it would read a tenth of the
log, however long that is.
"""
FEWEST_MATCHES = 50
"""The number of matches below which a ladder has no trend: all of it is new."""


def rating_trend(then: Aggregate[VersionId], now: Intervals[VersionId]) -> dict[VersionId, float]:
    """Return the Elo that each version gained since `then`, which lacks the latest matches.

    Versions whose gain may be chance (95 %) and those that had not played before are left out. The
    result is empty if the anchor had not played before.
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
    if not 0 < share < 1:  # `then` is not earlier than `now`
        return {}
    gained = {
        version: elo - before[version]
        for version, elo in now.fit.ratings().items()
        if version in before and 0 < known[version] <= played[version]
    }
    # If a rating by n matches has the error e, that by the first n - k has e sqrt(n/(n-k)),
    # and their difference e sqrt(k/(n-k)). A rating also moves with those of others, so k/n is
    # taken to be at least the share of the latest matches in the ladder.
    lately = {version: max(share, 1 - known[version] / played[version]) for version in gained}
    return {
        version: gain
        for version, gain in gained.items()
        if abs(gain) > Z_95 * errors[version] * sqrt(lately[version] / (1 - lately[version]))
    }
