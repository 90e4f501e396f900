"""The arena's pages: navigation and what all of them share. `arena up` starts this."""

from pathlib import Path

import streamlit as st

from arena.settings import SettingsError
from arena.storage.errors import DatabaseUnreachableError, StorageError
from arena_dashboard import browser, data, identities
from arena_dashboard.markup import tag
from arena_dashboard.tables import time_of

HERE = Path(__file__).parent
DESCRIPTION = "Bots that bluff: live ratings with intervals, tournaments, and replays of every lie."

submit = st.Page("views/submit.py", title="Submit a bot", url_path="submit")
pages = [
    st.Page("views/home.py", title="Home", default=True),
    st.Page("views/leaderboard.py", title="Leaderboard", url_path="leaderboard"),
    st.Page("views/bot.py", title="Bots", url_path="bot"),
    st.Page("views/matches.py", title="Matches", url_path="matches"),
    st.Page("views/tournaments.py", title="Tournaments", url_path="tournaments"),
    st.Page("views/play.py", title="Play", url_path="play"),
    submit,
    # Of the owner who is signed in; reached from "Submit a bot".
    st.Page("views/own_bots.py", title="My bots", url_path="my-bots", visibility="hidden"),
    # Reached by links: about one match or one ladder.
    st.Page("views/replay.py", title="Replay", url_path="replay", visibility="hidden"),
    st.Page(
        "views/head_to_head.py", title="Head to head", url_path="head-to-head", visibility="hidden"
    ),
    st.Page("views/versus.py", title="Two bots", url_path="versus", visibility="hidden"),
    st.Page("views/history.py", title="History", url_path="history", visibility="hidden"),
]
page = st.navigation(pages, position="top")

# A page about one bot, match or tournament calls it again with a title of its own.
st.set_page_config(f"{page.title} · Bluff Arena", browser.icon(), layout="wide")
st.logo(HERE / "logo.svg", size="large")
st.html(HERE / "style.css")
browser.shell([one.url_path for one in pages], DESCRIPTION)

as_of = st.empty()
url = None
try:
    url = data.database_url()
    if url is None:
        st.info(
            "Start the arena with `arena up` (`make up` in a checkout): it starts these pages, too."
        )
        st.stop()
    if page is pages[0] and identities.just_came():
        # The identity provider sends visitors to the first page, whence they came from.
        st.switch_page(submit)
    page.run()
except DatabaseUnreachableError:
    # Its reason names sockets and addresses, which are none of a visitor's business.
    st.warning("The database does not answer: check that it is running.")
except (SettingsError, StorageError) as error:
    st.warning(str(error))
finally:
    answered = data.as_of(url) if url is not None else None
    if answered is not None:
        words = ("The database does not answer. This is what it said as of ", time_of(answered))
        as_of.html(tag("div", *words, ".", class_="ba-as-of", role="status"))
