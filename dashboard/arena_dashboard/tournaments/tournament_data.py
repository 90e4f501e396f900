"""Current data of tournaments for the pages, read through `data`.

A tournament of ten thousand blocks is slow to read, so all visitors share what was read last.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from arena.match.transcript import Entrant
from arena.server.tournaments import tournament_rows as rows
from arena.server.tournaments import tournament_statements as statements
from arena.server.tournaments.summary import (
    PairingLine,
    PlayedPairing,
    Standing,
    pairing_lines,
    standings,
)
from arena.server.tournaments.tournament import Tournament, TournamentRecord, TournamentState
from arena_dashboard.reading import data

KEPT_SECONDS = 4.0
MOST_LISTED = 100
"""The most tournaments to choose from: the newest."""
WAIT_STEP = 30
"""The seconds after which the page updates how long it has been waiting for a bot."""
PAGE = 20
"""Tournaments per page of the list."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A tournament in the list."""

    tournament: Tournament
    blocks: int
    """How many of its blocks count."""
    winner: Entrant | None


@dataclass(frozen=True, slots=True)
class TournamentIndex:
    """A page of all tournaments, newest first."""

    rows: Sequence[Listed]
    after: int | None
    """The page of newer tournaments ends before this id; None on the first page."""
    before: int | None
    """The page of older tournaments begins after this id; None on the last page."""


@dataclass(frozen=True, slots=True)
class TournamentView:
    """The current state of a tournament; slow to read and compute, so all visitors share it."""

    record: TournamentRecord
    standings: Sequence[Standing]
    """Best first."""
    pairings: Sequence[PairingLine]
    """The latest round first."""
    played: Sequence[PlayedPairing]
    """The same, in the order of rounds and tables."""
    active_at: datetime | None
    """When a block of it last began or ended."""

    @property
    def winner(self) -> Entrant | None:
        """Return who won; None while it runs, or if several share the first place."""
        first = [one.entry for one in self.standings if one.rank == 1]
        tournament = self.record.tournament
        if tournament.state is not TournamentState.FINISHED or len(first) != 1:
            return None
        return tournament.entries[first[0] - 1].registered.entrant


def tournament_names() -> list[str]:
    """Return the names of the newest tournaments, newest first."""
    return [row.name for row in data.read(statements.newest_tournaments(MOST_LISTED))]


def exists(name: str) -> bool:
    """Return whether there is a tournament of that name."""
    return bool(data.read(statements.tournament_list(name=name)))


def index(before: int | None, after: int | None) -> TournamentIndex:
    """Return a page of tournaments: those older than `before`, or those newer than `after`."""
    # One more, which says whether there is another page.
    found = data.read(statements.newest_tournaments(PAGE + 1, before=before, after=after))
    more = len(found) > PAGE
    shown = found[:PAGE] if after is None else found[-PAGE:]
    if not shown:
        return TournamentIndex((), None, None)
    ids = [row.id for row in shown]
    entries = data.read(statements.entries_of(ids))
    done = {row.tournament_id: row.blocks for row in data.read(statements.block_counts(ids))}
    listed = [
        Listed(one, done.get(one.id, 0), winner(one)) for one in rows.tournaments(shown, entries)
    ]
    turned_back = after is not None
    return TournamentIndex(
        listed,
        ids[0] if (more if turned_back else before is not None) else None,
        ids[-1] if turned_back or more else None,
    )


def winner(tournament: Tournament) -> Entrant | None:
    """Return who won a tournament; None while it runs, or without a single winner."""
    if tournament.state is not TournamentState.FINISHED:
        return None
    return _winner(tournament.name)


Mark = tuple[str, int, datetime | None, int, tuple[int, ...]]
"""A value that changes whenever the page of a tournament must be drawn again."""


def mark(found: TournamentView) -> Mark:
    """Return the mark of a tournament."""
    record = found.record
    entries = record.tournament.entries
    waited = tuple(
        round(entries[number - 1].waited_seconds / WAIT_STEP) for number in record.waited_for()
    )
    return (
        record.tournament.state.value,
        len(record.pairings),
        found.active_at,
        len(record.forfeits),
        waited,
    )


def current_mark(name: str) -> Mark | None:
    """Return the current mark of a tournament, at most KEPT_SECONDS old."""
    found = tournament_view(name)
    return None if found is None else mark(found)


@st.cache_resource(ttl=KEPT_SECONDS, max_entries=20, show_spinner=False)
def tournament_view(name: str) -> TournamentView | None:
    """Return the state of a tournament; None if there is none of that name.

    It is cached: do not change the result.
    """
    return _read(name)


def finished_view(name: str) -> TournamentView | None:
    """Return the final state of a tournament that is known to be over, never an older cached one.

    Do not change the result.
    """
    found = tournament_view(name)
    if found is None or found.record.tournament.state is not TournamentState.FINISHED:
        return _read(name)
    return found


def _read(name: str) -> TournamentView | None:
    found = data.read(statements.tournament_list(name=name))
    entries = data.read(statements.entries_of([row.id for row in found]))
    for tournament in rows.tournaments(found, entries):
        pairings = data.read(statements.pairings_of(tournament.id))
        # Read after the pairings, so some blocks may belong to pairings that are not known yet.
        blocks = data.read(statements.blocks_of(tournament.id))
        known = {(row.round, row.table) for row in pairings}
        record = rows.record(
            tournament, pairings, [one for one in blocks if (one.round, one.table) in known]
        )
        (active,) = data.read(statements.last_activity(tournament.id))
        return view_of(record, active.active_at)
    return None


def view_of(record: TournamentRecord, active_at: datetime | None) -> TournamentView:
    """Return what is computed from a record; `active_at` is when a block last began or ended."""
    return TournamentView(
        record, standings(record), pairing_lines(record), record.played(), active_at
    )


# A finished tournament does not change: only the first visit reads its blocks.
@st.cache_resource(max_entries=1000, show_spinner=False)
def _winner(name: str) -> Entrant | None:
    found = finished_view(name)
    return None if found is None else found.winner
