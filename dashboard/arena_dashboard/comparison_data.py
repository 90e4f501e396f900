"""What stands beside a ladder's Elo, for the pages: cached, and of one moment.

The Nash average and the win shares follow the live board; the history and the model check take
seconds, so they are kept for some minutes and say how much of the log they are about.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from arena.boards.comparisons import AcrossTables, Comparisons, across_tables, comparisons
from arena.boards.model_check import ModelCheck, model_check
from arena.boards.rating_history import Point, rating_history
from arena.match.transcript import Entrant
from arena.records import VersionId
from arena.storage import bot_statements, ladder_statements
from arena.storage.rows import RatedMatch, Trouble
from arena_dashboard import data
from arena_dashboard.live_board import LadderName, Leaderboard

KEPT_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Facts:
    """A ladder at one moment."""

    ladder: LadderName
    board: Leaderboard
    comparisons: Comparisons | None
    """None before the first match."""
    troubles: Mapping[VersionId, Trouble]
    across_tables: Mapping[VersionId, AcrossTables]
    """Over the table sizes of its game and options."""


@dataclass(frozen=True, slots=True)
class History:
    """A ladder's way, by its points; the names are by version."""

    points: tuple[Point, ...]
    ends: tuple[RatedMatch, ...]
    """The match that each point ends with."""
    names: Mapping[VersionId, str]


def facts(ladder: LadderName) -> Facts:
    """The ladder with all that stands beside it."""
    board = data.leaderboard(ladder)
    found = _beside(ladder, board.sequence, board) if board.rated else None
    return Facts(
        ladder,
        board,
        found,
        _troubles(ladder, board.sequence) if board.rated else {},
        _across(ladder),
    )


def versions_on(facts: Facts, bot: str) -> list[str]:
    """The bot's versions on a ladder, as charts call them."""
    return [f"{line.bot} {line.version}" for line in facts.board.standings if line.bot == bot]


def ladders_of(bot: str) -> list[Facts]:
    """Every ladder that a version of the bot stands on, the first game's first."""
    found = []
    for game, variants in data.ladders().items():
        for options, sizes in variants.items():
            for size in sizes:
                one = facts(LadderName(game, options, size))
                if any(line.bot == bot for line in one.board.standings):
                    found.append(one)
    return found


def history(ladder: LadderName) -> History:
    """How the ladder came about, some minutes old at most."""
    return _history(ladder)


def history_frame(found: History, versions: list[VersionId]) -> pd.DataFrame:
    """What the picture of a history is drawn from: a row per point and bot."""
    ends = {match.sequence: match.finished_at for match in found.ends}
    rows = [
        (
            found.names[rating.version_id],
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


def check(ladder: LadderName) -> ModelCheck | None:
    """The checks that take seconds, some minutes old at most; None before the first match."""
    return _check(ladder)


@st.cache_resource(max_entries=100, show_spinner=False)
def _beside(
    ladder: LadderName,  # noqa: ARG001, the key of what is kept, as the next one
    sequence: int,  # noqa: ARG001
    _board: Leaderboard,
) -> Comparisons:
    assert _board.rated is not None
    return comparisons(_board.rated)


@st.cache_resource(max_entries=100, show_spinner=False)
def _troubles(ladder: LadderName, sequence: int) -> dict[VersionId, Trouble]:
    statement = ladder_statements.troubles(
        ladder.game, json.loads(ladder.options), ladder.seats, sequence
    )
    return {row.version_id: Trouble(**row._mapping) for row in data.read(statement)}


def _across(ladder: LadderName) -> dict[VersionId, AcrossTables]:
    sizes = data.ladders().get(ladder.game, {}).get(ladder.options, [])
    shown = []
    for size in sizes:
        board = data.leaderboard(LadderName(ladder.game, ladder.options, size, ladder.score))
        shown.append((range(size[0], size[-1] + 1), board.standings, board.win_shares))
    return across_tables(shown)


@st.cache_resource(ttl=KEPT_SECONDS, max_entries=20, show_spinner=False)
def _history(ladder: LadderName) -> History:
    board = data.leaderboard(ladder)
    log, sequences = data.live_board(ladder).log()
    anchor = board.anchor
    points = rating_history(
        log,
        sequences,
        anchor=None if anchor is None else anchor.version_id,
        score=ladder.score,
    )
    ends = data.read(ladder_statements.rated_matches([point.sequence for point in points]))
    names = {
        VersionId(row.id): str(Entrant(row.bot, row.version, row.owner))
        for row in data.read(bot_statements.all_versions())
    }
    return History(tuple(points), tuple(RatedMatch(**row._mapping) for row in ends), names)


@st.cache_resource(ttl=KEPT_SECONDS, max_entries=20, show_spinner=False)
def _check(ladder: LadderName) -> ModelCheck | None:
    return model_check(data.live_board(ladder).log()[0], score=ladder.score)
