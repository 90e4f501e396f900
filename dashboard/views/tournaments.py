"""Which tournaments are there, and how does this one stand?"""

import streamlit as st

from arena.storage.errors import StorageError
from arena.tournament.telling import blocks_done, blocks_expected, explained, meetings
from dashboard import tournament_data, tournament_tables
from dashboard.choosing import to_url, url_choice
from dashboard.markup import tag, together

LIVE_SECONDS = 5.0
MOST_PAIRINGS = 300


def show(name: str) -> None:
    """One tournament."""
    try:
        record = tournament_data.record(name)
    except StorageError as error:
        st.warning(str(error))
        return
    if record is None:
        st.info("There is no such tournament any more.")
        return
    tournament, done = record.tournament, blocks_done(record)
    expected = blocks_expected(tournament, done)
    words = tournament_tables.in_words(tournament)
    st.html(together(tournament_tables.state(tournament), " ", tag("span", words)))
    st.progress(done / max(1, expected), f"{done:,} of {expected:,} blocks")
    st.subheader("Standings")
    st.html(tournament_tables.standing_table(record))
    meanings = explained(tournament).items()
    st.caption(" ".join(f"{what[0].upper()}{what[1:]}: {how}." for what, how in meanings))
    st.subheader("Who meets whom")
    found = meetings(record)
    if not found:
        st.info(f"Nothing is paired yet: `arena tournament start {tournament.name}` begins it.")
        return
    if len(found) > MOST_PAIRINGS:
        st.caption(
            f"{MOST_PAIRINGS} of {len(found):,} pairings, the latest round first; "
            f"`arena tournament show {tournament.name}` has all."
        )
    st.html(tournament_tables.pairings(found[:MOST_PAIRINGS]))


names = tournament_data.tournament_names()
asked = st.query_params.get("name")
chosen = url_choice("name", names)
st.title(chosen or "Tournaments")
if not names:
    st.info("There is no tournament yet: `arena tournament create --help` says how to make one.")
    st.stop()
if asked is not None and chosen is None:
    st.info("There is no such tournament; these are all.")
st.selectbox(
    "Tournament",
    names,
    index=None,
    placeholder="all tournaments",
    key="name",
    on_change=to_url("name"),
    width=260,
)
if chosen is None:
    st.html(tournament_tables.tournament_list(tournament_data.newest()))
else:
    # Kept up to date while the page is open, unless nothing will change any more.
    asked_for = tournament_data.record(chosen)
    over = asked_for is not None and asked_for.tournament.state.over
    st.fragment(show, run_every=None if over else LIVE_SECONDS)(chosen)
