"""The page "Tournaments": the list, or the one in the URL."""

import streamlit as st

from arena_dashboard import browser
from arena_dashboard.parts.markup import in_markdown, tag, turning
from arena_dashboard.parts.url_choice import shortened
from arena_dashboard.reading import data
from arena_dashboard.tournaments import tournament_data, tournament_tables
from arena_dashboard.tournaments.tournament_page import show


def show_list() -> None:
    """Show all tournaments, newest first, page by page."""
    before, after = _asked("before"), _asked("after")
    page = tournament_data.index(before, after)
    if not page.rows:
        if before is not None or after is not None:
            st.info("There are no further tournaments here.")
            st.html(tag("a", "The newest tournaments", href="tournaments"))
        else:
            st.info(
                "There is no tournament yet: `arena tournament create --help` says how to make one."
            )
        return
    st.html(tournament_tables.tournament_list(page.rows))
    links = []
    if page.after is not None:
        links.append(tag("a", "Newer", href=f"tournaments?after={page.after}", rel="prev"))
    if page.before is not None:
        links.append(tag("a", "Older", href=f"tournaments?before={page.before}", rel="next"))
    st.html(turning(*links, about="Pages"))


def _asked(name: str) -> int | None:
    text = st.query_params.get(name, "")
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return int(text)
    if text:
        st.warning(f"“{shortened(text)}” is not a page of this list. This is the first page:")
    return None


asked = st.query_params.get("name")
found = tournament_data.tournament_view(asked) if asked else None
if found is None:
    st.title("Tournaments")
    if asked:
        st.warning(f"There is no tournament “{shortened(asked)}”. These are all:")
    show_list()
else:
    tournament = found.record.tournament
    st.set_page_config(f"{tournament.name} · Bluff Arena")
    st.title(in_markdown(tournament.name))
    st.html(tag("p", tag("a", "All tournaments", href="tournaments"), class_="ba-link"))
    show(found)
    # Kept up to date while the page is visible, unless nothing will change any more.
    if not tournament.state.over:
        browser.keep_current(
            ("tournament", tournament.name),
            (tournament_data.mark(found), data.away()),
            lambda: (tournament_data.current_mark(tournament.name), data.away()),
        )
