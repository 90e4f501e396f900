"""Pure functions that build the chart of ratings over time."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

HEIGHT = 380
MOST_BOTS = 8
"""The most lines that a reader can distinguish, also by their colours."""
SUGGESTED = 200
"""The most bots in the list to choose from; the name of any other can be typed."""
_COLOURS = ["#d9822b", "#4f8fd0", "#3f9c6b", "#b05cc6", "#c9504a", "#8a8f98", "#b59a1f", "#2aa7a7"]


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """The rating of a bot on its ladder at one point in time."""

    bot: str
    matches: int
    finished: str
    """The end of the last match that the rating covers; ISO 8601."""
    elo: float
    low: float
    high: float


def suggested(names: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Return the bots to choose from: the chosen ones, and the first SUGGESTED of `names`."""
    return list(dict.fromkeys([*chosen, *names[:SUGGESTED]]))


def history(points: Sequence[HistoryPoint]) -> alt.LayerChart:
    """Return a chart, without data: per bot a line with the band of its 95 % interval.

    `points` are oldest first.
    """
    latest = {point.bot: point.elo for point in points}
    bots = sorted(latest, key=lambda bot: -latest[bot])
    colour = alt.Color(
        "bot:N",
        title=None,
        scale=alt.Scale(domain=bots, range=_COLOURS[: len(bots)]),
        legend=alt.Legend(orient="top", columns=3, labelLimit=90, symbolOpacity=1),
    )
    base = alt.Chart().encode(
        x=alt.X("matches:Q", title="Rated matches of the ladder", axis=alt.Axis(format=",d")),
    )
    bands = base.mark_area(opacity=0.16).encode(
        y=alt.Y("low:Q", title="Elo, with 95 % interval", scale=alt.Scale(zero=False)),
        y2="high:Q",
        color=colour,
    )
    lines = base.mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=36)).encode(
        y=alt.Y("elo:Q", scale=alt.Scale(zero=False)),
        color=colour,
        tooltip=[
            alt.Tooltip("bot:N", title="Bot"),
            alt.Tooltip("matches:Q", title="After matches", format=","),
            alt.Tooltip("finished:T", title="Ended", format="%Y-%m-%d %H:%M"),
            alt.Tooltip("elo:Q", title="Elo", format=".0f"),
            alt.Tooltip("low:Q", title="95 % from", format=".0f"),
            alt.Tooltip("high:Q", title="95 % to", format=".0f"),
        ],
    )
    return alt.LayerChart(layer=[bands, lines]).properties(height=HEIGHT)


def in_words(points: Sequence[HistoryPoint]) -> str:
    """Return the text alternative of the chart."""
    said = []
    for bot in dict.fromkeys(point.bot for point in points):
        its = [point for point in points if point.bot == bot]
        first, last = its[0], its[-1]
        said.append(
            f"{bot} from {first.elo:.0f} after {first.matches:,} matches to "
            f"{last.elo:.0f} ({last.low:.0f} to {last.high:.0f}) after {last.matches:,}"
        )
    return "Elo over time: " + "; ".join(said)
