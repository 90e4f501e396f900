"""Current data of tournaments for the pages, read through `data`.

A tournament of ten thousand blocks is slow to read, so all visitors share what was read last.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from arena.storage import tournament_rows as rows
from arena.storage import tournament_statements as statements
from arena.tournament.summary import PairingLine, Standing, pairing_lines, standings
from arena.tournament.tournament import Tournament, TournamentRecord
from arena_dashboard import data

KEPT_SECONDS = 4.0
MOST_LISTED = 100
"""The most tournaments on the list: the newest."""


@dataclass(frozen=True, slots=True)
class TournamentView:
    """A tournament as it stands: what takes long to read or to compute, for all visitors once."""

    record: TournamentRecord
    standings: Sequence[Standing]
    """Best first."""
    pairings: Sequence[PairingLine]
    """The latest round first."""


def tournament_names() -> list[str]:
    """The newest first."""
    return [row.name for row in data.read(statements.newest_tournaments(MOST_LISTED))]


def exists(name: str) -> bool:
    """Whether there is a tournament of that name."""
    return bool(data.read(statements.tournament_list(name=name)))


def newest() -> list[tuple[Tournament, int]]:
    """The newest first, each with the number of its blocks that count."""
    found = data.read(statements.newest_tournaments(MOST_LISTED))
    entries = data.read(statements.entries_of([row.id for row in found]))
    done = {row.tournament_id: row.blocks for row in data.read(statements.block_counts())}
    return [(one, done.get(one.id, 0)) for one in rows.tournaments(found, entries)]


def tournament_view(name: str) -> TournamentView | None:
    """What was paired and played so far; None if there is none of that name. Not to be changed."""
    return _tournament_view(data.database_url(), name)


# Not changed by any page, so it needs no copy for each run.
@st.cache_resource(ttl=KEPT_SECONDS, max_entries=20, show_spinner=False)
def _tournament_view(url: str | None, name: str) -> TournamentView | None:
    del url  # tells one database's tournaments from another's
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
        return TournamentView(record, standings(record), pairing_lines(record))
    return None
