"""Pure functions that render how often a bot bluffs and doubts, next to solved play, as HTML."""

from collections.abc import Sequence
from math import isfinite

from arena.lab.analysis import SITUATIONS, Estimate, Frequency
from arena_dashboard.markup import Html, tag, together


def frequency_table(found: Sequence[Frequency]) -> Html | None:
    """Return a table with a row for each known situation; None if there is none."""
    rows = [_row(one) for one in found if one.situation in SITUATIONS]
    if not rows:
        return None
    heads = ("Situation", "Decisions", "The bot", "Solved play", "Difference", "")
    return tag(
        "div",
        tag(
            "table",
            tag("caption", "How often it bluffs and doubts, by situation", class_="ba-unseen"),
            tag("thead", tag("tr", *(tag("th", text, scope="col") for text in heads))),
            tag("tbody", together(*rows)),
            class_="ba-table",
        ),
        class_="ba-scroll",
        tabindex="0",
        role="region",
        aria_label="How often it bluffs and doubts; scrolls sideways",
    )


def _row(one: Frequency) -> Html:
    return tag(
        "tr",
        tag("th", f"{one.what}s, {one.situation}", scope="row"),
        tag("td", f"{one.decisions:,}", class_="ba-number"),
        tag("td", _percents(one.share), class_="ba-number"),
        tag("td", f"{one.solved:.1%}", class_="ba-number"),
        tag("td", _percents(one.difference, sign="+"), class_="ba-number"),
        tag("td", one.in_words),
    )


def _percents(found: Estimate, *, sign: str = "") -> str:
    error = f" ± {found.error:.1%}" if isfinite(found.error) else ""
    return f"{found.mean:{sign}.1%}{error}".replace("-", "−")
