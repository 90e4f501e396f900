"""The page "Home": what is played now, and what is worth a look."""

from contextlib import suppress
from typing import Any

import streamlit as st

from arena.database.errors import StorageError
from arena_dashboard import browser
from arena_dashboard.home import home_data, home_tables
from arena_dashboard.player import component
from arena_dashboard.reading import data
from arena_dashboard.serving import documentation

LADDER_QUERY = {"game", "options", "seats", "score"}
# How often a visible page looks for new ladders, matches and tournaments. (Streamlit would show a
# string here.)
LATER_SECONDS = 15.0
# How soon it looks for the first running match, if matches are played.
SOON_SECONDS = 1.0
SEEN = "live_seen"


@st.fragment
def show_now() -> None:
    """Show how much is played, and a running match."""
    rate = None
    with suppress(StorageError):
        rate = home_data.matches_a_second()
    live = home_data.live_matches()
    activity = None if live is None else live.activity()
    st.html(home_tables.now(rate, activity, live is not None))
    seen: dict[str, Any] = st.session_state.get(SEEN, {})
    match = None if live is None else live.match(seen.get("match"), seen=bool(seen.get("seen")))
    if match is not None and match.moments:
        if match.match_id != seen.get("match"):
            st.session_state[SEEN] = {"match": match.match_id}
        component.show_live(home_data.live_content(match), follow)
        return
    if activity is not None:
        # If a match is about to begin, its place on the page is kept free.
        soon = bool(rate or activity.running_matches)
        with st.container(key="live-soon" if soon else None):
            st.caption("A match that is being played appears here.")
    browser.beat("now", SOON_SECONDS if rate else browser.PULSE_SECONDS)


def follow(asked: dict[str, Any]) -> None:
    """Remember what the player shows."""
    st.session_state[SEEN] = asked


@st.fragment
def show_later() -> None:
    """Show ladders, matches of the day and tournaments."""
    try:
        ladders = home_data.ladders()
        running = home_data.running_tournaments()
        matches = home_data.matches_of_the_day()
    except StorageError:
        # The line at the top of the page says that the database is away.
        st.caption("Nothing was read from the database yet.")
        browser.beat("later", browser.PULSE_SECONDS)
        return
    if ladders:
        st.subheader("Best bots by Elo rating")
        st.html(home_tables.ladders(ladders))
    else:
        st.info("No match has been played yet. Ratings appear some seconds after the first one.")
        st.page_link("views/submit.py", label="Write a bot in five minutes")
    if running:
        st.subheader("Running tournaments")
        st.html(home_tables.tournaments(running))
    if matches.boldest or matches.closest:
        st.html(home_tables.matches_of_the_day(matches))
    browser.beat("later", LATER_SECONDS)


# The leaderboard was the first page once: its links still lead to it.
if LADDER_QUERY & st.query_params.to_dict().keys():
    st.switch_page("views/leaderboard.py", query_params=st.query_params.to_dict())
st.title("Now playing")
st.html(home_tables.welcome(documentation.is_built()))
show_now()
show_later()
browser.keep_current("away", data.away(), data.away)
