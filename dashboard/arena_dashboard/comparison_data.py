"""A ladder's comparisons, history and model check, for the pages: cached, and of one moment.

The Nash average and the win shares follow the live board; the history and the model check take
seconds, so they are cached for some minutes and say how much of the log they cover.
"""

import pandas as pd
import streamlit as st

from arena.boards import details
from arena.boards.comparisons import AcrossTables, Comparisons, comparisons
from arena.boards.details import Details, LadderHistory
from arena.boards.live_board import LadderId, Leaderboard
from arena.boards.model_check import ModelCheck, model_check
from arena.records import VersionId
from arena.storage.rows import Trouble
from arena_dashboard import data

KEPT_SECONDS = 300.0


def ladder_details(ladder: LadderId) -> Details:
    """The ladder with its comparisons, faults and other table sizes."""
    board = data.leaderboard(ladder)
    found = _comparisons(ladder, board.sequence, board) if board.rated else None
    return Details(
        ladder,
        board,
        found,
        _troubles(ladder, board.sequence) if board.rated else {},
        _across(ladder),
        None,
    )


def versions_on(facts: Details, bot: str) -> list[str]:
    """The bot's versions on a ladder, as charts call them."""
    return [f"{line.bot} {line.version}" for line in facts.board.lines if line.bot == bot]


def ladders_of(bot: str) -> list[Details]:
    """Every ladder that a version of the bot stands on, the first game's first."""
    found = []
    for game, variants in data.ladders().items():
        for options, sizes in variants.items():
            for size in sizes:
                one = ladder_details(LadderId(game, options, size))
                if any(line.bot == bot for line in one.board.lines):
                    found.append(one)
    return found


@st.cache_resource(ttl=KEPT_SECONDS, max_entries=20, show_spinner=False)
def history(ladder: LadderId) -> LadderHistory:
    """The ladder's ratings over time, at most some minutes old."""
    return details.ladder_history(data.reader(), data.live_board(ladder))


def history_frame(found: LadderHistory, versions: list[VersionId]) -> pd.DataFrame:
    """The data frame of a history's chart: a row per point and bot."""
    ends = {match.sequence: match.finished_at for match in found.matches}
    rows = [
        (
            str(found.versions[rating.version_id].entrant),
            point.matches,
            ends[point.sequence],
            rating.elo,
            *rating.interval,
        )
        for point in found.points
        for rating in point.ratings
        if rating.version_id in versions
    ]
    return pd.DataFrame(rows, columns=["bot", "matches", "finished", "elo", "low", "high"])


@st.cache_resource(ttl=KEPT_SECONDS, max_entries=20, show_spinner=False)
def check(ladder: LadderId) -> ModelCheck | None:
    """The check by the exact model, at most some minutes old; None before the first match."""
    return model_check(data.live_board(ladder).log()[0], score=ladder.score)


@st.cache_resource(max_entries=100, show_spinner=False)
def _comparisons(
    ladder: LadderId,  # noqa: ARG001, part of the cache's key, as the next one
    sequence: int,  # noqa: ARG001
    _board: Leaderboard,
) -> Comparisons:
    assert _board.rated is not None
    return comparisons(_board.rated)


@st.cache_resource(max_entries=100, show_spinner=False)
def _troubles(ladder: LadderId, sequence: int) -> dict[VersionId, Trouble]:
    return details.troubles(data.reader(), ladder, sequence)


def _across(ladder: LadderId) -> dict[VersionId, AcrossTables]:
    sizes = data.ladders().get(ladder.game, {}).get(ladder.options, [])
    ladders = [LadderId(ladder.game, ladder.options, size, ladder.score) for size in sizes]
    return details.across_ladders({one.sizes: data.leaderboard(one) for one in ladders})
