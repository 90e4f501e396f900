"""Which tournaments are there, and how does this one stand?"""

import streamlit as st

from arena_dashboard import tournament_data, tournament_tables
from arena_dashboard.tournament_page import show
from arena_dashboard.url_choice import to_url, url_choice

LIVE_SECONDS = 5.0


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
    asked_for = tournament_data.tournament_view(chosen)
    live = asked_for is not None and not asked_for.record.tournament.state.over
    st.fragment(show, run_every=LIVE_SECONDS if live else None)(chosen, live=live)
