"""Cached reads of the database for the pages, with a role that cannot write.

A page gets rows, leaderboards and a match as a viewpoint saw it, but never a state, so that it
cannot show what a viewpoint must not know. It gets a transcript only as the file that a visitor
downloads. Every read may raise StorageError with a message for the visitor.

A process reads one database, so caches do not name it.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import streamlit as st
from sqlalchemy import select

from arena.database.errors import DatabaseUnreachableError, StorageError
from arena.database.reading import Reader
from arena.database.rows import MatchRow, match_row
from arena.database.statement import Row
from arena.database.tables.matches import matches
from arena.database.tables.tournaments import tournament_blocks, tournaments
from arena.games import DEALER, GAMES
from arena.lab.analysis import AnalysedDecision, decisions
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.replay import TranscriptError
from arena.match.transcript import Transcript
from arena.match.transcript_json import to_json
from arena.rating.ladder_id import LadderId
from arena.records import VersionId
from arena.server.accounts import bot_statements
from arena.server.boards import ladder_statements
from arena.server.boards.board import table_sizes
from arena.server.boards.live_board import Leaderboard, LiveBoard, LiveBoards
from arena.server.results import statements
from arena.server.results.kept_analyses import kept_decisions
from arena.server.results.match_finding import Bluffs, find, match_named, transcript_named
from arena.server.results.match_search import MatchFilter
from arena.server.results.match_sort import Sort
from arena.server.uploads.checks import RecordedCheck, last_checks
from arena.settings import read_settings
from arena_dashboard.reading.frames import match_json, packed
from arena_dashboard.reading.remembering import RememberingReader
from arena_dashboard.reading.watching import parse_viewpoint, watch

PAGE = 25
"""Matches per page of the list."""
SUGGESTED = 200
"""The most bots in a list to choose from; the name of any other can be typed."""


# Reading all settings takes a millisecond, and every page needs this one.
@st.cache_resource(show_spinner=False)
def database_url() -> str | None:
    """Return the URL of the arena's database; None if it is not set. Raises SettingsError."""
    return read_settings().database_url


def why_nothing_is_read(error: StorageError) -> str:
    """Return a sentence for the page that says why nothing can be read."""
    if isinstance(error, DatabaseUnreachableError):
        # Its reason names sockets and addresses, which do not concern a visitor.
        return "The database does not answer: check that it is running."
    return str(error)


def leaderboard(ladder: LadderId) -> Leaderboard:
    """Return the current leaderboard of a ladder; while the database is away, the last one read.

    It is cheap to call repeatedly.
    """
    board = live_board(ladder)
    try:
        return board.now()
    except DatabaseUnreachableError:
        if board.latest.lines:
            return board.latest
        raise


def as_of() -> datetime | None:
    """Return the time of the last answer of the database if it is away; None while it answers."""
    return reader().as_of


def away() -> bool:
    """Return whether the database did not answer the last time."""
    return as_of() is not None


def live_board(ladder: LadderId) -> LiveBoard:
    """Return the live board of a ladder, shared by all visitors."""
    return _live_boards().board(ladder)


@st.cache_resource(show_spinner=False)
def reader() -> RememberingReader:
    """Return the reader that runs statements, for functions that take a reader."""
    url = database_url()
    if url is None:
        raise DatabaseUnreachableError("ARENA_DATABASE_URL is not set: start with `arena up`.")
    return RememberingReader(Reader(url))


def read(statement: Row) -> Sequence[Any]:
    """Return the rows of a statement."""
    return reader()(statement)


@st.cache_data(ttl=15, show_spinner=False)
def ladders() -> list[LadderId]:
    """Return the ladders on which matches were played, by game, options, time and table size.

    The default time control is first. Score rules are left out.
    """
    rows = sorted(read(ladder_statements.ladders()), key=_default_time_first)
    found = dict.fromkeys(
        LadderId.of(game, row.options, table_sizes(row.seat_count), time_control=_time_of(row))
        for game in GAMES  # only the games of this release
        for row in rows
        if row.game == game
    )
    variants = list(dict.fromkeys((one.game, one.options) for one in found))
    return sorted(found, key=lambda one: variants.index((one.game, one.options)))


def checks(versions: Collection[VersionId]) -> dict[VersionId, RecordedCheck]:
    """Return the last check against the protocol of each of these versions that has one."""
    return last_checks(reader(), versions)


@st.cache_data(ttl=15, show_spinner=False)
def some_bots() -> list[str]:
    """Return the names of at most SUGGESTED bots, as suggestions."""
    return [row.name for row in read(bot_statements.bot_page(limit=SUGGESTED))]


def bot_named(name: str) -> str | None:
    """Return the registered spelling of a bot's name in any case; None if there is no such bot."""
    rows = read(bot_statements.bot_named(name))
    return rows[0].name if rows else None


def find_matches(
    wanted: MatchFilter, *, sort: Sort = Sort.NEWEST, before: str | None = None, limit: int = PAGE
) -> list[MatchRow]:
    """Return at most `limit` matches that fit the filter, in the order `sort`.

    If the newest are wanted, the result begins after the match `before`. The closest and the
    boldest are at most some seconds old.
    """
    if sort is not Sort.NEWEST:
        return _best_matches(wanted, sort, limit)
    return find(reader(), bluffs(), wanted, before=before, limit=limit)


@st.cache_resource(show_spinner=False)
def bluffs() -> Bluffs:
    """Return the reader of matches' bluffs, shared by all visitors."""
    return Bluffs(reader())


def newest_match() -> str | None:
    """Return the id of the match that ended last; None before the first match."""
    rows = find_matches(MatchFilter(), limit=1)
    return rows[0].match_id if rows else None


def match(match_id: str) -> MatchRow | None:
    """Return the row of a match; None if there is no match of that id."""
    return match_named(reader(), match_id)


def replay(match_id: str, viewpoint: str, *, analysed: bool = False) -> Mapping[str, Any] | None:
    """Return a match as `viewpoint` (see `watching`) saw it, for the player; None if it is unknown.

    With `analysed` it includes the values of decisions. Raises TranscriptDamagedError.
    """
    try:
        return _replay(match_id, viewpoint, analysed)
    except _NoTranscriptError:
        return None


def replay_content(
    match_id: str,
    viewpoint: str,
    previous: str | None,
    next_: str | None,
    *,
    analysed: bool = False,
    notes: Sequence[Mapping[str, Any]] = (),
) -> bytes:
    """Return a match that `replay` has found as bytes for the player.

    They include its neighbours in its block, `previous` and `next_`, and `notes` that the visitor
    may read.
    """
    text = json.dumps(notes) if notes else "null"
    return _replay_content(match_id, viewpoint, analysed, previous, next_, text)


@st.cache_resource(max_entries=200, show_spinner=False)
def steps_of_turns(match_id: str) -> Sequence[int]:
    """Return the step (from 1) of the transcript for each turn, in the order of turns."""
    steps = enumerate(_transcript(match_id).steps, start=1)
    return [number for number, step in steps if step.actor is not DEALER and not step.stand_in]


def transcript_file(match_id: str) -> str:
    """Return the complete transcript of a recorded match as JSON that `arena verify` reads."""
    return json.dumps(to_json(_transcript(match_id)), ensure_ascii=False, indent=1)


def block_of(match: MatchRow) -> list[MatchRow]:
    """Return the recorded matches of a match's block, itself included, by position."""
    found = statements.match_rows().where(matches.c.block_id == match.block_id)
    return sorted((match_row(row._mapping) for row in read(found)), key=lambda row: row.position)


def tournament_of(match: MatchRow) -> str | None:
    """Return the name of the tournament that a match was played for; None if there is none."""
    found = select(tournaments.c.name).join(
        tournament_blocks, tournament_blocks.c.tournament_id == tournaments.c.id
    )
    rows = read(found.where(tournament_blocks.c.block_id == match.block_id))
    return rows[0].name if rows else None


@st.cache_resource(show_spinner=False)
def _live_boards() -> LiveBoards:
    return LiveBoards(reader())


def _default_time_first(row: Any) -> tuple[bool, int, int]:
    return _time_of(row) != DEFAULT_TIME_CONTROL, row.turn_ms, row.bank_ms


def _time_of(row: Any) -> TimeControl:
    return TimeControl(row.turn_ms, row.bank_ms)


# A single page compares hundreds of matches.
@st.cache_resource(ttl=15, max_entries=100, show_spinner=False)
def _best_matches(wanted: MatchFilter, sort: Sort, limit: int) -> list[MatchRow]:
    return find(reader(), bluffs(), wanted, sort=sort, limit=limit)


class _NoTranscriptError(LookupError):
    """There is no transcript of the match.

    The functions raise this instead of returning None, which the cache would keep although the
    match may be recorded later.
    """


# Read only and shared by all visitors, so no run needs a copy of its own.
@st.cache_resource(max_entries=200, show_spinner=False)
def _replay(match_id: str, viewpoint: str, analysed: bool) -> Mapping[str, Any]:
    transcript = _transcript(match_id)
    viewed = parse_viewpoint(viewpoint, len(transcript.setup.entrants))
    return match_json(watch(transcript, viewed, _decisions(match_id) if analysed else None))


# Packing takes longer than the rest of a page; the neighbours change while a block is played.
@st.cache_resource(max_entries=200, show_spinner=False)
def _replay_content(
    match_id: str,
    viewpoint: str,
    analysed: bool,
    previous: str | None,
    next_: str | None,
    notes: str,
) -> bytes:
    others = {"previous": previous, "next": next_, "notes": json.loads(notes)}
    return packed({**_replay(match_id, viewpoint, analysed), **others})


# Read if kept. Otherwise computed: in milliseconds from tables, in a second or more by search. All
# viewpoints share it.
@st.cache_resource(max_entries=200, show_spinner=False)
def _decisions(match_id: str) -> Sequence[AnalysedDecision]:
    kept = kept_decisions(reader(), [match_id])
    if match_id in kept:
        return kept[match_id]
    try:
        return tuple(decisions(_transcript(match_id)))
    except TranscriptError:
        return ()  # the player says that it cannot be replayed


def _transcript(match_id: str) -> Transcript:
    found = transcript_named(reader(), match_id)
    if found is None:
        raise _NoTranscriptError(match_id)
    return found
