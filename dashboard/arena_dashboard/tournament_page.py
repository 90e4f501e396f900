"""The part of the page that shows one tournament and keeps it up to date."""

import streamlit as st

from arena.storage.errors import StorageError
from arena.tournament.summary import blocks_done, blocks_expected, ranking_terms
from arena_dashboard import tournament_data, tournament_tables
from arena_dashboard.markup import tag, together

MOST_PAIRINGS = 300


def show(name: str, *, live: bool) -> None:
    """Show one tournament; `live` if it is refreshed."""
    try:
        found = tournament_data.tournament_view(name)
    except StorageError as error:
        st.warning(str(error))
        return
    if live and (found is None or found.record.tournament.state.over):
        st.rerun()  # nothing will change any more
    if found is None:
        st.info("This tournament no longer exists.")
        return
    record = found.record
    tournament, done = record.tournament, blocks_done(record)
    expected = blocks_expected(tournament, done)
    words = tournament_tables.in_words(tournament)
    st.html(together(tournament_tables.state(tournament), " ", tag("span", words)))
    st.progress(done / max(1, expected), f"{done:,} of {expected:,} blocks")
    st.subheader("Standings")
    st.html(tournament_tables.standing_table(record, found.standings))
    meanings = ranking_terms(tournament).items()
    st.caption(" ".join(f"{what[0].upper()}{what[1:]}: {how}." for what, how in meanings))
    st.subheader("Pairings")
    if not found.pairings:
        st.info(f"Nothing is paired yet: `arena tournament start {tournament.name}` begins it.")
        return
    if len(found.pairings) > MOST_PAIRINGS:
        st.caption(
            f"{MOST_PAIRINGS} of {len(found.pairings):,} pairings, the latest round first; "
            f"`arena tournament show {tournament.name}` has all."
        )
    st.html(tournament_tables.pairings(found.pairings[:MOST_PAIRINGS]))
