"""The main script of the pages: navigation, and what all pages share. `arena up` starts it."""

from pathlib import Path

import streamlit as st

from arena.database.errors import StorageError
from arena.settings import SettingsError
from arena_dashboard import browser
from arena_dashboard.owners import identities, owners
from arena_dashboard.parts.markup import tag
from arena_dashboard.parts.tables import time_of
from arena_dashboard.reading import data
from arena_dashboard.serving.index_page import IN_MENU, NAME, TITLES

HERE = Path(__file__).parent

pages = {
    path: st.Page(
        f"views/{path.replace('-', '_') or 'home'}.py",
        title=title,
        url_path=path or None,
        default=not path,
        visibility="visible" if path in IN_MENU else "hidden",
    )
    for path, title in TITLES.items()
}
page = st.navigation(list(pages.values()), position="top")

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
    if page is pages[""] and identities.just_came() and not owners.known():
        # The identity provider sends visitors to the first page, wherever they came from.
        st.switch_page(pages["submit"])
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
        words = ("The database does not answer. This page shows its data as of ", time_of(answered))
        as_of.html(tag("div", *words, ".", class_="ba-as-of", role="status"))
