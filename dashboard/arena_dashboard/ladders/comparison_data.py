"""A ladder's comparisons, history and model check for the pages: cached, each of one moment.

The Nash average and the win shares follow the live board; the history and the model check take
seconds to compute, so they are cached for some minutes and state how much of the log they cover.
"""

from dataclasses import dataclass, replace

import streamlit as st

from arena.rating.ladder_id import LadderId
from arena.records import VersionId
from arena.server.boards import details
from arena.server.boards.comparisons import AcrossTables, comparisons
from arena.server.boards.details import Details, LadderHistory
from arena.server.boards.ladder_log import read_log
from arena.server.boards.model_check import ModelCheck, model_check
from arena_dashboard.ladders import comparison_tables, history_chart
from arena_dashboard.ladders.history_chart import HistoryPoint
from arena_dashboard.ladders.ladder_choice import link
from arena_dashboard.parts.drawn import Drawn, drawn
from arena_dashboard.parts.markup import Html, tag
from arena_dashboard.reading import data

KEPT_SECONDS = 300.0
DETAILS_SECONDS = 30.0
"""The seconds for which comparisons are cached.

The Nash average of 300 bots takes most of a second, so it is not computed for each new result.
"""


@st.cache_resource(ttl=DETAILS_SECONDS, max_entries=50, show_spinner=False)
def ladder_details(ladder: LadderId) -> Details:
    """Return the ladder with its comparisons, faults and other table sizes, all of one moment."""
    board = data.leaderboard(ladder)
    return Details(
        ladder,
        board,
        comparisons(board.rated) if board.rated else None,
        _across(ladder),
        None,
    )


@dataclass(frozen=True, slots=True)
class ComparisonsPage:
    """A ladder's comparisons of one moment, as HTML and sentences."""

    matches: int
    matrix: Html
    decided: str
    """A cycle among bots and who is unbeaten; "" if no pair is decided."""
    worst: str
    """The pair that the ratings explain worst; "" if no pair met often enough."""
    numbers: Html
    check: str
    """The result of the check by the exact model; "" if it was not asked for."""


# Thousands of cells: rendered once for all visitors.
@st.cache_resource(ttl=DETAILS_SECONDS, max_entries=20, show_spinner=False)
def comparisons_page(
    ladder: LadderId, start: int, stop: int, *, checked: bool
) -> ComparisonsPage | None:
    """Return the comparisons of a ladder's lines from position `start` to `stop`.

    With `checked` they include the check by the exact model. None before the first match.
    """
    shown = range(start, stop)
    facts, found = ladder_details(ladder), check(ladder) if checked else None
    if facts.comparisons is None:
        return None
    lines, compared = facts.board.lines, facts.comparisons
    return ComparisonsPage(
        facts.board.matches,
        comparison_tables.matrix(lines, shown, compared, ladder),
        comparison_tables.decided_in_words(lines, compared),
        comparison_tables.worst_in_words(lines, compared),
        comparison_tables.numbers(
            lines, shown, compared, facts.board.faults, facts.across_tables, found
        ),
        "" if found is None else comparison_tables.check_in_words(lines, found),
    )


def history_link(facts: Details, bot: str) -> Html:
    """Return a link to the rating history of the bot's versions; of the best, if they are many."""
    versions = [f"{line.bot} {line.version}" for line in facts.board.lines if line.bot == bot]
    most = history_chart.MOST_BOTS
    words = (
        f"Rating history of its best {most} versions" if len(versions) > most else "Rating history"
    )
    return tag("a", words, href=link("history", facts.ladder, bots=",".join(versions[:most])))


@st.cache_resource(ttl=KEPT_SECONDS, max_entries=20, show_spinner=False)
def history(ladder: LadderId) -> LadderHistory:
    """Return the ladder's ratings over time, at most KEPT_SECONDS old."""
    return details.ladder_history(data.reader(), data.live_board(ladder))


@st.cache_data(ttl=KEPT_SECONDS, max_entries=50, show_spinner=False)
def history_drawn(ladder: LadderId, versions: list[VersionId]) -> Drawn:
    """Return the chart of these versions' ratings over time on a ladder."""
    points = history_points(history(ladder), versions)
    return drawn(points, history_chart.history, history_chart.in_words)


def history_points(found: LadderHistory, versions: list[VersionId]) -> list[HistoryPoint]:
    """Return the rows of a history's chart: one per point and version of `versions`."""
    ends = {match.sequence: match.finished_at for match in found.matches}
    return [
        HistoryPoint(
            str(found.versions[rating.version_id].entrant),
            point.matches,
            ends[point.sequence].isoformat(),
            rating.elo,
            *rating.interval,
        )
        for point in found.points
        for rating in point.ratings
        if rating.version_id in versions
    ]


@st.cache_resource(ttl=KEPT_SECONDS, max_entries=20, show_spinner=False)
def check(ladder: LadderId) -> ModelCheck | None:
    """Return the check by the exact model, at most KEPT_SECONDS old.

    None before the first match.
    """
    return model_check(read_log(data.reader(), ladder).results(), score=ladder.score)


def _across(ladder: LadderId) -> dict[VersionId, AcrossTables]:
    of_all_sizes = (replace(one, score=ladder.score) for one in data.ladders())
    ladders = [one for one in of_all_sizes if replace(one, seats=ladder.seats) == ladder]
    return details.across_ladders({one.sizes: data.leaderboard(one) for one in ladders})
