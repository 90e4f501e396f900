"""The chart of a ladder's ratings; pure."""

import altair as alt
import pandas as pd

ROW_HEIGHT = 26
"""Pixels per bot."""
FRAME_HEIGHT = 110
"""Pixels for the legend and the axis."""
MOST_BOTS = 40
"""The most lines that a chart can show legibly; the table below has all."""


def ratings(ladder: pd.DataFrame, anchor: str | None) -> alt.LayerChart:
    """A dot per bot with its 95 % interval, best on top.

    `ladder` has bot, elo, low, high, matches and kind, best first; `anchor` names the bot from
    which ratings are measured.
    """
    shown = ladder.head(MOST_BOTS)
    middle = shown.loc[shown["bot"] == anchor, "elo"] if anchor else shown["elo"][:0]
    low, high = float(shown["low"].min()), float(shown["high"].max())
    margin = max(10.0, 0.03 * (high - low))
    base = alt.Chart(shown).encode(
        y=alt.Y(
            "bot:N",
            sort=list(shown["bot"]),
            title=None,
            axis=alt.Axis(labelLimit=150, labelFlush=False),
        ),
        tooltip=[
            alt.Tooltip("bot:N", title="Bot"),
            alt.Tooltip("elo:Q", title="Elo", format=".0f"),
            alt.Tooltip("low:Q", title="95 % from", format=".0f"),
            alt.Tooltip("high:Q", title="95 % to", format=".0f"),
            alt.Tooltip("matches:Q", title="Matches", format=","),
        ],
    )
    x = alt.Scale(domain=[low - margin, high + margin], nice=False, zero=False)
    colour = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=["bot", "house bot"], range=["#d9822b", "#6f7fb5"]),
        legend=alt.Legend(orient="top", symbolOpacity=1) if shown["kind"].nunique() > 1 else None,
    )
    bars = base.mark_rule(strokeWidth=3, opacity=0.45).encode(
        x=alt.X(
            "low:Q",
            scale=x,
            title="Elo, with 95 % interval",
            axis=alt.Axis(format="d", tickCount=8),
        ),
        x2="high:Q",
        color=colour,
    )
    dots = base.mark_point(filled=True, size=90, opacity=1).encode(x="elo:Q", color=colour)
    line = (
        alt.Chart(pd.DataFrame({"elo": middle}))
        .mark_rule(strokeDash=[4, 4], color="gray")
        .encode(x="elo:Q")
    )
    return alt.LayerChart(layer=[line, bars, dots]).properties(
        height=ROW_HEIGHT * len(shown) + FRAME_HEIGHT
    )


def in_words(ladder: pd.DataFrame) -> str:
    """The text alternative of the chart."""
    lines = (
        f"{row.bot} {row.elo:.0f} ({row.low:.0f} to {row.high:.0f})"
        for row in ladder.head(MOST_BOTS).itertuples()
    )
    return "Elo with 95 % intervals, best first: " + ", ".join(lines)
