"""The chart of a bot's accuracy over its analysed matches; pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil, isfinite

import altair as alt

from arena.lab.analysis import LossSums, SeatAnalysis

MOST_POINTS = 20
FEWEST_MATCHES = 5
"""The fewest matches of a point."""
HEIGHT = 220


@dataclass(frozen=True, slots=True)
class AccuracyPoint:
    """The accuracy in some consecutive matches."""

    finished: str
    """The time at which the last of them ended; ISO 8601."""
    matches: int
    accuracy: float
    low: float
    high: float


def accuracy_points(played: Sequence[tuple[datetime, SeatAnalysis]]) -> list[AccuracyPoint]:
    """Return points of equally many matches each; `played` is oldest first, as is the result.

    Matches without decisions are ignored.
    """
    return list(_points([one for one in played if one[1].decisions]))


def _points(played: Sequence[tuple[datetime, SeatAnalysis]]) -> Iterator[AccuracyPoint]:
    size = max(FEWEST_MATCHES, ceil(len(played) / MOST_POINTS))
    # The oldest matches, too few for a point of their own, are left out.
    for start in range(len(played) % size, len(played), size):
        part = played[start : start + size]
        # Each mistake counts one. A match is a cluster, as in the sums of losses.
        sums = LossSums.of((len(seat.decisions), seat.mistakes) for _, seat in part)
        share, error = sums.by_decision
        low, high = (share - error, share + error) if isfinite(error) else (0.0, 1.0)
        yield AccuracyPoint(
            part[-1][0].isoformat(), len(part), 1 - share, max(0.0, 1 - high), min(1.0, 1 - low)
        )


def accuracy_chart(points: Sequence[AccuracyPoint]) -> alt.LayerChart:
    """Return the chart, without data: a line with the band of its 95 % interval."""
    del points  # `drawn` adds the points as plain values
    share = alt.Axis(format="%")
    base = alt.Chart().encode(x=alt.X("finished:T", title="Matches ended"))
    band = base.mark_area(opacity=0.16).encode(
        y=alt.Y("low:Q", title="Accuracy", axis=share), y2="high:Q"
    )
    line = base.mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=36)).encode(
        y=alt.Y("accuracy:Q", scale=alt.Scale(zero=False), axis=share),
        tooltip=[
            alt.Tooltip("finished:T", title="Ended", format="%Y-%m-%d %H:%M"),
            alt.Tooltip("matches:Q", title="Matches"),
            alt.Tooltip("accuracy:Q", title="Accuracy", format=".1%"),
            alt.Tooltip("low:Q", title="95 % from", format=".1%"),
            alt.Tooltip("high:Q", title="95 % to", format=".1%"),
        ],
    )
    return alt.LayerChart(layer=[band, line]).properties(height=HEIGHT)


def in_words(points: Sequence[AccuracyPoint]) -> str:
    """Return the text alternative of the chart."""
    first, last = points[0], points[-1]
    return (
        f"Accuracy over time: from {first.accuracy:.0%} in its {first.matches} oldest matches here "
        f"to {last.accuracy:.0%} ({last.low:.0%} to {last.high:.0%}) in its newest {last.matches}."
    )
