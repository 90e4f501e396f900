"""The history of a ladder's ratings, computed by replaying its log.

A point is the board after the first n results of the log, with the intervals of that time; the last
point is the current board. Nothing is stored: the same log gives the same points.
"""

from dataclasses import dataclass

from arena.rating.bradley_terry import Anchor
from arena.rating.elo import IntArray
from arena.rating.history import history
from arena.rating.intervals import intervals
from arena.rating.methods import ScoreRule
from arena.rating.results import Results
from arena.records import VersionId
from arena.server.boards.board import CENTRE

MOST_POINTS = 50
"""The largest number of points.

More are not visible in a chart, and each costs a pass over the log before it.
"""


@dataclass(frozen=True, slots=True)
class RatingThen:
    """A bot's rating at one point."""

    version_id: VersionId
    elo: float
    interval: tuple[float, float]
    """The 95 % interval, in Elo."""
    matches: int
    """The number of matches it had played by then."""


@dataclass(frozen=True, slots=True)
class Point:
    """The ladder after its first `matches` results."""

    matches: int
    sequence: int
    """The rating event of the last of them."""
    ratings: tuple[RatingThen, ...]
    """The ratings, best first."""


def rating_history(
    log: Results[VersionId],
    sequences: IntArray,
    *,
    anchor: VersionId | None,
    score: ScoreRule = ScoreRule.PLACEMENT,
    points: int = MOST_POINTS,
) -> list[Point]:
    """Return at most `points` points at equal distances, oldest first; the last is the whole log.

    `sequences` (n,) are the numbers of the log's rating events. Points before the anchor's first
    match are left out, since ratings are measured from the anchor.
    """
    if not 1 <= points <= MOST_POINTS:
        raise ValueError(f"a history has 1 to {MOST_POINTS} points, not {points}")
    if not len(log):
        return []
    fixed = None if anchor is None else Anchor(anchor, CENTRE)
    shift = CENTRE if anchor is None else 0.0
    found = []
    for moment in history(log, every=-(-len(log) // points), anchor=fixed, score=score):
        measured = intervals(moment.fit, log.first(moment.matches))
        columns = (measured.fit.elo + shift, measured.low + shift, measured.high + shift)
        rows = zip(
            moment.fit.bots,
            *(column.tolist() for column in columns),
            moment.fit.matches.tolist(),
            strict=True,
        )
        ratings = [RatingThen(bot, elo, (low, high), n) for bot, elo, low, high, n in rows]
        ratings.sort(key=lambda rating: (-rating.elo, rating.version_id))
        found.append(Point(moment.matches, int(sequences[moment.matches - 1]), tuple(ratings)))
    return found
