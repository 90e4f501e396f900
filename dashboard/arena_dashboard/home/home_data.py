"""The data of the page "Home", read once for all its visitors."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import streamlit as st

from arena.clients.spectating import AddressError, SpectatorClient, WatchedMatch
from arena.database.errors import StorageError
from arena.database.rows import MatchRow
from arena.rating.ladder_id import LadderId
from arena.server.boards.live_board import Leaderboard
from arena.server.results import statements
from arena.server.results.bluffing import Bluffing
from arena.server.results.match_search import MatchFilter
from arena.server.results.match_sort import Sort
from arena.server.tournaments import tournament_rows as rows
from arena.server.tournaments import tournament_statements
from arena.server.tournaments.tournament import Tournament
from arena.settings import SettingsError
from arena_dashboard.matches.live_match import LiveMatches
from arena_dashboard.reading import data
from arena_dashboard.reading.frames import match_json, packed
from arena_dashboard.reading.watching import watch_live

KEPT_SECONDS = 15.0
DAY_SECONDS = 60.0
"""The seconds for which the matches of the day are cached: finding them reads transcripts."""
RATE_SECONDS = 10
"""The seconds over which matches are counted."""
MOST_LADDERS = 6
LISTED = 3
"""The most matches of the day of each kind, and the most running tournaments."""


@dataclass(frozen=True, slots=True)
class MatchesOfTheDay:
    """The most remarkable matches of the last day, or, without any, of the latest matches."""

    today: bool
    boldest: Sequence[MatchRow]
    closest: Sequence[MatchRow]
    bluffs: Mapping[str, Bluffing]


def read_ahead() -> None:
    """Read what the first visitor would otherwise wait for; without a database, read nothing."""
    with suppress(StorageError, SettingsError):
        ladders()
        matches_of_the_day()
        running_tournaments()


@st.cache_resource(show_spinner=False)
def live_matches() -> LiveMatches | None:
    """Return the running matches of the referee at ARENA_ADDRESS.

    None if the variable is not set or invalid.
    """
    try:
        client = SpectatorClient.of()
    except AddressError:
        return None
    return None if client is None else LiveMatches(client)


@st.cache_resource(ttl=RATE_SECONDS / 2, show_spinner=False)
def matches_a_second() -> float:
    """Return the rate of matches that ended in the last RATE_SECONDS, per second."""
    (row,) = data.read(statements.matches_ended_within(timedelta(seconds=RATE_SECONDS)))
    return float(row.matches) / RATE_SECONDS


@st.cache_resource(ttl=KEPT_SECONDS, show_spinner=False)
def ladders() -> list[tuple[LadderId, Leaderboard]]:
    """Return the leaderboards of the first MOST_LADDERS ladders, without empty ones."""
    boards = ((ladder, data.leaderboard(ladder)) for ladder in data.ladders()[:MOST_LADDERS])
    return [(ladder, board) for ladder, board in boards if board.lines]


@st.cache_resource(ttl=DAY_SECONDS, show_spinner=False)
def matches_of_the_day() -> MatchesOfTheDay:
    """Return the matches with the boldest bluffs and the closest matches of the last day."""
    # In full hours, so that the statement stays the same: while the database is away, its rows are
    # remembered.
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    wanted = MatchFilter(since=hour - timedelta(hours=23))
    today = bool(data.find_matches(wanted, limit=1))
    if not today:
        wanted = MatchFilter()
    boldest = data.find_matches(wanted, sort=Sort.BOLDEST, limit=LISTED)
    closest = data.find_matches(wanted, sort=Sort.CLOSEST, limit=LISTED)
    bluffs = data.bluffs().of([row.match_id for row in boldest])
    return MatchesOfTheDay(today, boldest, closest, bluffs)


@st.cache_resource(ttl=KEPT_SECONDS, show_spinner=False)
def running_tournaments() -> list[Tournament]:
    """Return at most LISTED running tournaments."""
    found = data.read(tournament_statements.tournament_list(states=["running"]))[-LISTED:]
    entries = data.read(tournament_statements.entries_of([row.id for row in found]))
    return rows.tournaments(found, entries)


def live_content(match: WatchedMatch) -> bytes:
    """Return a running match so far as bytes for the player."""
    return _live_content(match.match_id, len(match.moments), match.over, _match=match)


# All visitors see the same match; the arguments with an underscore are not part of the key.
@st.cache_resource(max_entries=20, show_spinner=False)
def _live_content(match_id: str, moments: int, over: bool, *, _match: WatchedMatch) -> bytes:
    del match_id, moments, over
    neighbours: Any = {"previous": None, "next": None}
    return packed({**match_json(watch_live(_match)), **neighbours})
