"""The decisions of a match on its page: the costliest, the chances to win, a table; pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import altair as alt

from arena.analysis import AnalysedDecision, Grade, MatchAnalysis
from arena_dashboard.comparison_tables import scrolling
from arena_dashboard.markup import Html, badge, tag
from arena_dashboard.tables import replay_link

_KINDS = {
    Grade.BEST: "good",
    Grade.FINE: "plain",
    Grade.INACCURATE: "plain",
    Grade.MISTAKE: "bad",
    Grade.BLUNDER: "bad",
}
_HEIGHT = 220


def decision_of_the_match(found: MatchAnalysis) -> Html:
    """The decision that cost its seat most, in a sentence with a link to it."""
    costly = [one for one in _valued(found.decisions) if one.loss and not one.forced]
    if not costly:
        return tag("p", "No decision of this match is known to have cost anything.")
    worst = max(costly, key=lambda one: one.loss or 0)
    setup = found.transcript.setup
    return tag(
        "p",
        "The decision of the match: ",
        tag("strong", setup.entrants[worst.seat].bot),
        f" chose {worst.action} where {worst.best} was better, and lost {worst.loss:.1%} of the "
        "match by it. ",
        tag("a", f"Step {worst.step}", href=replay_link(setup.match_id, worst.step)),
    )


@dataclass(frozen=True, slots=True)
class Chance:
    """The first seat's chance to win after a decision, as the seat that acted saw it."""

    step: int
    bot: str
    """Of the first seat."""
    action: str
    win: float


def chances(found: MatchAnalysis) -> list[Chance]:
    """After every decision of a match between two; [] for others, and without values."""
    setup = found.transcript.setup
    if len(setup.entrants) != 2:
        return []
    return [
        Chance(
            one.step,
            setup.entrants[0].bot,
            f"{setup.entrants[one.seat].bot}: {one.action}",
            win if one.seat == 0 else 1 - win,
        )
        for one in _valued(found.decisions)
        for win in [one.win or 0.0]
    ]


def chart(points: Sequence[Chance]) -> alt.LayerChart:
    """A line over the steps of the match."""
    title = f"{points[0].bot} wins"
    line = (
        alt.Chart()
        .mark_line(interpolate="step-after", strokeWidth=2.5, point=alt.OverlayMarkDef(size=30))
        .encode(
            x=alt.X("step:Q", title="Step", axis=alt.Axis(format="d")),
            y=alt.Y(
                "win:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")
            ),
            tooltip=[
                alt.Tooltip("step:Q", title="Step"),
                alt.Tooltip("action:N", title="Action"),
                alt.Tooltip("win:Q", title=title, format=".1%"),
            ],
        )
    )
    return alt.LayerChart(layer=[line]).properties(height=_HEIGHT)


def in_words(points: Sequence[Chance]) -> str:
    """What the chart shows, for those who do not see it."""
    lowest, highest = (choose(point.win for point in points) for choose in (min, max))
    return (
        f"{points[0].bot}'s chance to win over {len(points)} decisions, between {lowest:.0%} and "
        f"{highest:.0%}; {points[-1].win:.0%} after the last one."
    )


def decisions(found: MatchAnalysis) -> Html:
    """Every decision with its value, its grade and the better action."""
    heads = ("Step", "Bot", "Action", "Wins then", "Loss", "Grade", "Better")
    rows = [_row(found, one) for one in _valued(found.decisions)]
    return scrolling("Decisions", [(head, "", None) for head in heads], rows)


def _row(found: MatchAnalysis, one: AnalysedDecision) -> Html:
    setup, grade = found.transcript.setup, one.grade
    return tag(
        "tr",
        tag("td", tag("a", str(one.step), href=replay_link(setup.match_id, one.step))),
        tag("td", setup.entrants[one.seat].bot),
        tag("td", str(one.action), " (played for it)" if one.forced else ""),
        tag("td", f"{one.win:.1%}"),
        tag("td", f"{one.loss:.1%}"),
        tag("td", badge(grade.value, _KINDS[grade]) if grade else ""),
        tag("td", str(one.best) if one.loss else ""),
    )


def _valued(found: Iterable[AnalysedDecision]) -> Sequence[AnalysedDecision]:
    return [one for one in found if one.values]
