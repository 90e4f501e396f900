"""The arena's pages: navigation and what all of them share. `arena up` starts this."""

from pathlib import Path

import streamlit as st

from arena.settings import SettingsError
from arena.storage.errors import StorageError
from arena_dashboard import data

HERE = Path(__file__).parent

st.set_page_config("Bluff Arena", str(HERE / "icon.png"), layout="wide")
st.html(HERE / "style.css")

page = st.navigation(
    [
        st.Page("views/leaderboard.py", title="Leaderboard", default=True),
        st.Page("views/matches.py", title="Matches", url_path="matches"),
        st.Page("views/replay.py", title="Replay", url_path="replay"),
        st.Page("views/head_to_head.py", title="Head to head", url_path="head-to-head"),
        st.Page("views/tournaments.py", title="Tournaments", url_path="tournaments"),
        st.Page("views/history.py", title="History", url_path="history"),
        st.Page("views/bot.py", title="Bots", url_path="bot"),
        st.Page("views/submit.py", title="Submit a bot", url_path="submit"),
    ],
    position="top",
)

try:
    if data.database_url() is None:
        st.info(
            "Start the arena with `arena up` (`make up` in a checkout): it starts these pages, too."
        )
        st.stop()
    page.run()
except (SettingsError, StorageError) as error:
    st.warning(str(error))
