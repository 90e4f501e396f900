"""The main script of the pages: navigation, and what all pages share. `arena up` starts it."""

from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from arena.database.errors import StorageError
from arena.settings import SettingsError
from arena_dashboard import browser
from arena_dashboard.owners import identities, owners
from arena_dashboard.parts.markup import tag
from arena_dashboard.parts.tables import time_of
from arena_dashboard.reading import data
from arena_dashboard.serving.index_page import NAME, TITLES

HERE = Path(__file__).parent


def page_at(path: str, view: str, **options: Any) -> StreamlitPage:
    """Return the page at a path of TITLES, whose script is `views/{view}.py`."""
    return st.Page(f"views/{view}.py", title=TITLES[path], url_path=path or None, **options)


submit = page_at("submit", "submit")
pages = [
    page_at("", "home", default=True),
    page_at("leaderboard", "leaderboard"),
    page_at("bot", "bot"),
    page_at("matches", "matches"),
    page_at("tournaments", "tournaments"),
    page_at("events", "events"),
    page_at("play", "play"),
    submit,
    # For the signed-in owner; reached from "Submit a bot".
    page_at("my-bots", "own_bots", visibility="hidden"),
    # For organisers; reached from "Events".
    page_at("organise", "organise", visibility="hidden"),
    # For operators; reached from "My bots".
    page_at("operate", "operate", visibility="hidden"),
    # About one match or one ladder; reached by links.
    page_at("replay", "replay", visibility="hidden"),
    page_at("event-match", "event_match", visibility="hidden"),
    page_at("head-to-head", "head_to_head", visibility="hidden"),
    page_at("versus", "versus", visibility="hidden"),
    page_at("history", "history", visibility="hidden"),
    # In a window of its own.
    page_at("projector", "projector", visibility="hidden"),
]
page = st.navigation(pages, position="top")

# A page about one bot, match or tournament calls this again with a title of its own.
st.set_page_config(f"{page.title} · {NAME}", browser.icon(), layout="wide")
st.logo(HERE / "logo.svg", size="large")
browser.shell(list(TITLES))

# First, so that a page that is reloaded at once finds the owner who has just signed in.
keeping = st.empty()
with keeping:
    told = owners.tell_browser()
as_of = st.empty()
url = None
try:
    url = data.database_url()
    if url is None:
        st.info(
            "Start the arena with `arena up` (`make up` in a checkout): it starts these pages, too."
        )
        st.stop()
    if page is pages[0] and identities.just_came() and not owners.known():
        # The identity provider sends visitors to the first page, wherever they came from.
        st.switch_page(submit)
    page.run()
    if not told:
        with keeping:
            owners.tell_browser()
except StorageError as error:
    st.warning(data.why_nothing_is_read(error))
except SettingsError as error:
    st.warning(str(error))
finally:
    answered = data.as_of() if url is not None else None
    if answered is not None:
        words = ("The database does not answer. This is what it said as of ", time_of(answered))
        as_of.html(tag("div", *words, ".", class_="ba-as-of", role="status"))
