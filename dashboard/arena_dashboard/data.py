"""Cached reads of the database for the pages, with a role that cannot write.

A page gets rows, leaderboards and `Watched` matches, but never a transcript or a state, so that it
cannot show what a viewpoint must not know. Every read may raise StorageError with a message for the
visitor.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import streamlit as st

from arena.boards.board import table_sizes
from arena.boards.live_board import LadderId, Leaderboard, LiveBoard, LiveBoards
from arena.games import GAMES
from arena.match.match_id import is_match_id
from arena.settings import read_settings
from arena.storage import bot_statements, statements
from arena.storage.errors import DatabaseUnreachableError
from arena.storage.reading import Reader
from arena.storage.rows import MatchRow, match_row
from arena.storage.statements import Row
from arena.storage.transcripts import Packed, unpack
from arena_dashboard.watching import Watched, parse_viewpoint, watch

PAGE = 25
"""Matches per page of the list."""


def database_url() -> str | None:
    """The URL of the arena's database; None if it is not set. Raises SettingsError."""
    return read_settings().database_url


def leaderboard(ladder: LadderId) -> Leaderboard:
    """The current leaderboard of a ladder; cheap to call repeatedly."""
    return live_board(ladder).now()


def live_board(ladder: LadderId) -> LiveBoard:
    """The live board of a ladder, shared by all visitors."""
    return _live_boards(_url()).board(ladder)


def reader() -> Reader:
    """The reader that runs statements, for functions that take a reader."""
    return _reader(_url())


def read(statement: Row) -> Sequence[Any]:
    """The rows of a statement."""
    return reader()(statement)


def ladders() -> dict[str, dict[str, list[tuple[int, ...]]]]:
    """The table sizes that were played, by game and by options as JSON."""
    return _ladders(_url())


def bot_names() -> list[str]:
    """The names of all bots."""
    return _bot_names(_url())


def match_page(*, bot: str | None, game: str | None, before: str | None) -> list[MatchRow]:
    """The newest matches, or those that come after the match `before` in the list."""
    if before is not None and not is_match_id(before.lower()):
        return []
    page = statements.match_list(bot=bot, game=game, before=before, limit=PAGE)
    return [match_row(row._mapping) for row in read(page)]


def newest_match() -> str | None:
    """The id of the match that ended last."""
    rows = read(statements.match_list(limit=1))
    return rows[0].match_id if rows else None


def match(match_id: str) -> MatchRow | None:
    """How a match is recorded; None when there is none of that id."""
    if not is_match_id(match_id.lower()):
        return None
    rows = read(statements.match_by_id(match_id))
    return match_row(rows[0]._mapping) if rows else None


def watched(match_id: str, viewpoint: str) -> Watched | None:
    """A match as `viewpoint` (see `watching`) saw it; None if no match has that id.

    Raises TranscriptDamagedError.
    """
    if not is_match_id(match_id.lower()):
        return None
    try:
        return _watched(_url(), match_id, viewpoint)
    except _NoTranscriptError:
        return None


@st.cache_resource(show_spinner=False)
def _reader(url: str) -> Reader:
    return Reader(url)


@st.cache_resource(show_spinner=False)
def _live_boards(url: str) -> LiveBoards:
    return LiveBoards(_reader(url))


@st.cache_data(ttl=15, show_spinner=False)
def _ladders(url: str) -> dict[str, dict[str, list[tuple[int, ...]]]]:
    found: defaultdict[str, defaultdict[str, set[tuple[int, ...]]]]
    found = defaultdict(lambda: defaultdict(set))
    for row in _reader(url)(statements.ladders()):
        # Only games that this release has.
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
    names = {row.bot for row in _reader(url)(bot_statements.all_versions())}
    return sorted(names, key=str.lower)


class _NoTranscriptError(LookupError):
    """No transcript. Raised because the cache would keep None: the match may be recorded later."""


# Frozen values, shared by all visitors, so they need no copy for each run.
@st.cache_resource(max_entries=200, show_spinner=False)
def _watched(url: str, match_id: str, viewpoint: str) -> Watched:
    rows = _reader(url)(statements.transcript(match_id))
    if not rows:
        raise _NoTranscriptError(match_id)
    transcript = unpack(Packed(**rows[0]._mapping))
    return watch(transcript, parse_viewpoint(viewpoint, len(transcript.setup.entrants)))


def _url() -> str:
    url = database_url()
    if url is None:
        raise DatabaseUnreachableError("ARENA_DATABASE_URL is not set: start with `arena up`.")
    return url
