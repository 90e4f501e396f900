"""Pure functions that render how often a bot bluffs and doubts, as HTML and as a chart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

import altair as alt

from arena.lab.analysis import Estimate
from arena.lab.deception import Deception, DeceptionRow, Share
from arena_dashboard.parts.markup import Html, scrolling, table_of, tag
from arena_dashboard.parts.rows import heads, number, row_head, row_of

ROW_HEIGHT: Final = 24
"""The height of a situation's row in the chart, in pixels."""
_BOT, _SOLVED = "#c4751d", "#4f7fd0"


def figures(found: Deception) -> Html:
    """Return the shares over all decisions with their 95 % intervals, and the distance."""
    row = found.rows[0]
    shares = {
        "Bluffs": (row.bluffs, "of the decisions in which it could claim"),
        "Lies": (row.lies, "of its claims were knowingly false"),
        "False claims": (row.false, "of its claims were false in fact"),
        "Bluffs doubted": (row.bluffs_doubted, "of its bluffs"),
        "Other claims doubted": (row.others_doubted, "of its claims that were not bluffs"),
        "Doubts": (row.doubts, "of the decisions in which it could doubt"),
        "Doubts right": (row.right, "of its doubts"),
    }
    entries = [_figure(name, *one) for name, one in shares.items()]
    one = row.equilibrium
    if one is not None:
        words = f"from equilibrium, 0 to 100 %; by chance it would be {one.by_chance:.1%}"
        entries.append(entry("Distance", estimate(one.distance), words))
    return tag("dl", *entries, class_="ba-style")


def table(found: Deception) -> Html:
    """Return the table by situation, with the columns of solved play where it is known."""
    solved = any(row.equilibrium for row in found.rows)
    columns = [(head, cell) for head, cell, only in _COLUMNS if solved or not only]
    head = heads("Situation", *dict(columns))
    rows = (_row(row, [cell for _, cell in columns]) for row in found.rows)
    shown = table_of("How often it bluffs and doubts, by situation", head, rows)
    return scrolling("How often it bluffs and doubts; scrolls sideways", shown)


@dataclass(frozen=True, slots=True)
class BluffPoint:
    """How often the bot bluffs in a situation, and how often solved play bluffs there."""

    situation: str
    share: float
    low: float
    high: float
    solved: float | None
    decisions: int


def bluff_points(found: Deception) -> list[BluffPoint]:
    """Return the situations in which the bot could claim."""
    return [
        BluffPoint(
            row.situation.name,
            row.bluffs.share,
            row.bluffs.low,
            row.bluffs.high,
            None if row.equilibrium is None else row.equilibrium.solved_bluffs,
            row.bluffs.of,
        )
        for row in found.rows
        if row.bluffs.share is not None
    ]


def bluff_chart(points: Sequence[BluffPoint]) -> alt.LayerChart:
    """Return a chart, without data: bluffs with their intervals, and a line for solved play."""
    share = alt.Axis(format="%", tickCount=5)
    base = alt.Chart().encode(
        y=alt.Y(
            "situation:N",
            sort=[one.situation for one in points],
            title=None,
            axis=alt.Axis(labelLimit=200, labelOverlap=False),
        ),
        tooltip=[
            alt.Tooltip("situation:N", title="Situation"),
            alt.Tooltip("share:Q", title="Bluffs", format=".1%"),
            alt.Tooltip("low:Q", title="95 % from", format=".1%"),
            alt.Tooltip("high:Q", title="95 % to", format=".1%"),
            alt.Tooltip("solved:Q", title="Equilibrium", format=".1%"),
            alt.Tooltip("decisions:Q", title="Decisions", format=","),
        ],
    )
    is_solved = any(one.solved is not None for one in points)
    title = "Bluffs; blue: equilibrium" if is_solved else "Bluffs"
    x = alt.X("low:Q", title=title, axis=share)
    bars = base.mark_rule(strokeWidth=3, color=_BOT).encode(x=x, x2="high:Q")
    dots = base.mark_point(filled=True, size=70, opacity=1, color=_BOT).encode(x="share:Q")
    layers = [bars, dots]
    if is_solved:  # a screen reader meets a layer without marks as an unnamed image
        layers.append(base.mark_tick(thickness=3, size=14, color=_SOLVED).encode(x="solved:Q"))
    return alt.LayerChart(layer=layers).properties(height=ROW_HEIGHT * len(points) + 50)


def chart_in_words(points: Sequence[BluffPoint]) -> str:
    """Return the text alternative of the chart."""
    return "Bluffs with 95 % intervals: " + "; ".join(
        f"{one.situation}: {one.share:.0%} ({one.low:.0%} to {one.high:.0%})"
        + ("" if one.solved is None else f", equilibrium {one.solved:.0%}")
        for one in points
    )


def _row(row: DeceptionRow, cells: Sequence[Callable[[DeceptionRow], str]]) -> Html:
    return row_of(
        row_head(row.situation.name, class_="ba-roomy"), *(number(cell(row)) for cell in cells)
    )


def _figure(name: str, share: Share, words: str) -> Html:
    if share.share is None:
        return entry(name, "–", f"{words}: there were none")
    counts = f"({share.low:.0%}–{share.high:.0%}, {share.count:,} of {share.of:,})"
    return entry(name, f"{share.share:.0%}", f"{words} {counts}")


def entry(name: str, figure: str, words: str) -> Html:
    """Return a figure of a bot with its name and a few words."""
    return tag("div", tag("dt", name), tag("dd", tag("b", figure), tag("small", words)))


def _share(share: Share) -> str:
    if share.share is None:
        return "–"
    return f"{share.share:.0%} ({share.low:.0%}–{share.high:.0%})"


def estimate(found: Estimate | None, *, sign: str = "") -> str:
    """Return a mean with its error, in per cent."""
    if found is None:
        return "–"
    error = f" ± {found.error:.1%}" if isfinite(found.error) else ""
    return f"{found.mean:{sign}.1%}{error}".replace("-", "−")


def _solved(cell: Callable[[Any], str]) -> Callable[[DeceptionRow], str]:
    return lambda row: "–" if row.equilibrium is None else cell(row.equilibrium)


_COLUMNS: Final[Sequence[tuple[str, Callable[[DeceptionRow], str], bool]]] = (
    ("Decisions", lambda row: f"{row.bluffs.of:,}", False),
    ("Bluffs", lambda row: _share(row.bluffs), False),
    ("Bluffs of solved play", _solved(lambda one: f"{one.solved_bluffs:.0%}"), True),
    ("Bluffs, difference", _solved(lambda one: estimate(one.bluffs_difference, sign="+")), True),
    ("Lies", lambda row: _share(row.lies), False),
    ("False claims", lambda row: _share(row.false), False),
    ("Bluffs doubted", lambda row: _share(row.bluffs_doubted), False),
    ("Other claims doubted", lambda row: _share(row.others_doubted), False),
    ("Doubts", lambda row: _share(row.doubts), False),
    ("Doubts, difference", _solved(lambda one: estimate(one.doubts_difference, sign="+")), True),
    ("Doubts right", lambda row: _share(row.right), False),
)
"""The columns: the head, the text of a row, and whether they need solved play."""
