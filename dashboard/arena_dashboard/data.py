"""What the pages may know: cached reads of the database, with a role that cannot write.

A page gets rows, leaderboards and `Watched` matches, and never a transcript or a state: what a
viewpoint must not know is not there to be shown. Every read may raise StorageError, its message a
sentence for the visitor.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import pandas as pd
import streamlit as st
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, ProgrammingError

from arena.boards.board import BoardLine, table_sizes
from arena.games import GAMES
from arena.settings import read_settings
from arena.storage import bot_statements, statements
from arena.storage.engine import reading_engine
from arena.storage.errors import DatabaseUnreachableError, StorageError
from arena.storage.rows import MatchRow, SeatRow
from arena.storage.statements import Row
from arena.storage.transcripts import Packed, unpack
from arena_dashboard.live_board import LadderName, Leaderboard, LiveBoard
from arena_dashboard.watching import Watched, parse_viewpoint, watch

PAGE = 25
"""Matches on a page of the list."""


def database_url() -> str | None:
    """Where the arena keeps its results; None where nobody said so. Raises SettingsError."""
    return read_settings().database_url


def leaderboard(ladder: LadderName) -> Leaderboard:
    """The ladder as it stands now; cheap to ask again and again."""
    return live_board(ladder).now()


def live_board(ladder: LadderName) -> LiveBoard:
    """The ladder that all visitors share."""
    return _live_board(_url(), ladder)


def read(statement: Row) -> Sequence[Any]:
    """The rows of a statement."""
    return _read(_url(), statement)


def frame(standings: Sequence[BoardLine]) -> pd.DataFrame:
    """What the picture of a ladder is drawn from, one row per bot, best first."""
    return pd.DataFrame(
        {
            "bot": [f"{line.bot} {line.version}" for line in standings],
            "elo": [line.elo for line in standings],
            "low": [line.interval[0] for line in standings],
            "high": [line.interval[1] for line in standings],
            "matches": [line.matches for line in standings],
            "kind": ["house bot" if line.house else "bot" for line in standings],
        }
    )


def ladders() -> dict[str, dict[str, list[tuple[int, ...]]]]:
    """What has been played: by game, by options as JSON, the table sizes."""
    return _ladders(_url())


def bot_names() -> list[str]:
    """All bots, for choosing."""
    return _bot_names(_url())


def match_page(*, bot: str | None, game: str | None, before: str | None) -> list[MatchRow]:
    """The newest matches, or those that come after the match `before` in the list."""
    if before is not None and not _is_uuid(before):
        return []
    page = statements.match_list(bot=bot, game=game, before=before, limit=PAGE)
    return [_match_row(row._mapping) for row in _read(_url(), page)]


def newest_match() -> str | None:
    """The id of the match that ended last."""
    rows = _read(_url(), statements.match_list(limit=1))
    return rows[0].match_id if rows else None


def match(match_id: str) -> MatchRow | None:
    """How a match is recorded; None when there is none of that id."""
    if not _is_uuid(match_id):
        return None
    rows = _read(_url(), statements.match_by_id(match_id))
    return _match_row(rows[0]._mapping) if rows else None


def watched(match_id: str, viewpoint: str) -> Watched | None:
    """A match as `viewpoint` (see `watching`) saw it; None when there is none of that id.

    Raises TranscriptDamagedError.
    """
    if not _is_uuid(match_id):
        return None
    try:
        return _watched(_url(), match_id, viewpoint)
    except _NoTranscriptError:
        return None


@st.cache_resource(show_spinner=False)
def _engine(url: str) -> Engine:
    return reading_engine(url)


@st.cache_resource(show_spinner=False)
def _live_board(url: str, ladder: LadderName) -> LiveBoard:
    return LiveBoard(ladder, lambda statement: _read(url, statement))


@st.cache_data(ttl=15, show_spinner=False)
def _ladders(url: str) -> dict[str, dict[str, list[tuple[int, ...]]]]:
    found: defaultdict[str, defaultdict[str, set[tuple[int, ...]]]]
    found = defaultdict(lambda: defaultdict(set))
    for row in _read(url, statements.ladders()):
        # Only what this release knows how to play.
        if row.game in GAMES:
            size = tuple(table_sizes(row.seat_count))
            found[row.game][json.dumps(row.options, sort_keys=True)].add(size)
    return {
        game: {options: sorted(sizes) for options, sizes in found[game].items()}
        for game in GAMES
        if game in found
    }


@st.cache_data(ttl=15, show_spinner=False)
def _bot_names(url: str) -> list[str]:
    names = {row.bot for row in _read(url, bot_statements.all_versions())}
    return sorted(names, key=str.lower)


class _NoTranscriptError(LookupError):
    """Raised, because a cache remembers answers: the match may be recorded a moment later."""


# Frozen values, shared by all visitors: nothing is copied from run to run.
@st.cache_resource(max_entries=200, show_spinner=False)
def _watched(url: str, match_id: str, viewpoint: str) -> Watched:
    rows = _read(url, statements.transcript(match_id))
    if not rows:
        raise _NoTranscriptError(match_id)
    transcript = unpack(Packed(**rows[0]._mapping))
    return watch(transcript, parse_viewpoint(viewpoint, len(transcript.setup.entrants)))


def _read(url: str, statement: Row) -> Sequence[Any]:
    try:
        with _engine(url).connect() as connection:
            return connection.execute(statement).all()
    except DBAPIError as error:
        reason = str(error.orig).strip().split("\n", 1)[0]
        if isinstance(error, ProgrammingError):
            raise StorageError(
                f"The database is not of this release ({reason}): start the arena, which brings "
                "it up to date."
            ) from error
        raise DatabaseUnreachableError(
            f"The database does not answer ({reason}): see that the arena runs."
        ) from error


def _match_row(row: Mapping[str, Any]) -> MatchRow:
    return MatchRow(**{**row, "seats": tuple(SeatRow(**seat) for seat in row["seats"])})


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _url() -> str:
    url = database_url()
    if url is None:
        raise DatabaseUnreachableError("ARENA_DATABASE_URL says nothing: start with `arena up`.")
    return url
