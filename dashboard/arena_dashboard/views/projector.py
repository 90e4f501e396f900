"""The page "Projector": an event on the evening of its final, to be read from the last row.

`?event=NAME` is its address. It runs unattended: it follows the event through its dates, replays
matches of a live final one after another, and shows the results one by one.
"""

from typing import Any

import streamlit as st

from arena.scheduling.formats import FormatName
from arena.server.events.event import Phase
from arena_dashboard import browser
from arena_dashboard.events import event_data, projector_data, projector_tables
from arena_dashboard.events.event_data import EventView
from arena_dashboard.owners import owners
from arena_dashboard.parts.markup import tag
from arena_dashboard.parts.url_choice import shortened
from arena_dashboard.player import component
from arena_dashboard.reading import data
from arena_dashboard.tournaments import tournament_data

SHOWN = "projected"
# The most matches that are remembered as shown.
MOST_SHOWN = 500


def show_live(tournament: str) -> None:
    """Show matches in turn beside the standings or the bracket, and who plays."""
    view = tournament_data.tournament_view(tournament)
    if view is None:
        return
    table, side = st.columns([3, 2])
    with table:
        show_table(tournament)
    with side:
        st.html(tag("div", projector_tables.picture(view), class_="ba-side"))
        st.html(tag("div", projector_tables.coming(view.pairings), class_="ba-side"))


@st.fragment
def show_table(tournament: str) -> None:
    """Replay a match of the final; the next one follows when it was seen to its end."""
    shown: list[str] = st.session_state.setdefault(SHOWN, [])
    found = projector_data.newest_matches(tournament)
    if not shown or shown[-1] not in {row.match_id for row in found}:
        turn(found, shown)
    if shown:
        component.show_live(projector_data.content(shown[-1]), follow)
    else:
        st.html(tag("p", "The first matches are being played.", class_="ba-date"))
        browser.beat("first", browser.PULSE_SECONDS)


def follow(asked: dict[str, Any]) -> None:
    """Turn to the next match if the one that is shown was seen to its end."""
    shown: list[str] = st.session_state[SHOWN]
    name = st.query_params.get("event", "")
    event = event_data.named(name, viewer)
    if event is None or event.event.tournament is None:
        return
    if asked.get("seen") and shown and asked.get("match") == shown[-1]:
        turn(projector_data.newest_matches(event.event.tournament), shown)


def turn(found: Any, shown: list[str]) -> None:
    """Append the id of the next match to those that were shown."""
    match_id = projector_data.next_match(found, shown)
    if match_id is None:
        return
    if match_id in shown:
        shown.remove(match_id)
    shown.append(match_id)
    del shown[:-MOST_SHOWN]


def show_results(found: EventView) -> None:
    """Show the results one after another."""
    view = event_data.final(found.event, viewer)
    knockout = view is not None and view.record.tournament.rules.format is FormatName.KNOCKOUT
    pairings = view.pairings if view is not None and knockout else ()
    teams = {one.bot: one.team for one in found.entries}
    lines = event_data.results(found.event, viewer)
    st.html(projector_tables.results(lines, teams, pairings))


def show(found: EventView) -> None:
    """Show the current state of an event."""
    event = found.event
    # Otherwise the date fills the screen, and has the countdown.
    live = found.phase is Phase.FINAL and event.tournament is not None
    st.html(projector_tables.head(found, counting=live))
    if found.phase is Phase.CANCELLED:
        st.html(tag("p", "Cancelled. ", event.why_cancelled, class_="ba-date"))
    elif found.phase is Phase.RELEASED:
        show_results(found)
    elif event.tournament is None:
        st.html(projector_tables.date(found))
        # A final that is not live shows nothing but the date.
        if found.phase is not Phase.FINAL:
            st.html(projector_tables.entries(found))
    else:
        show_live(event.tournament)


def mark(name: str) -> Any:
    """Return a value that changes whenever the page must be drawn again."""
    found = event_data.named(name, viewer)
    if found is None:
        return None
    tournament = found.event.tournament
    played = None if tournament is None else tournament_data.current_mark(tournament)
    return event_data.mark(found), played, data.away()


visitor = owners.visitor()
viewer = event_data.viewer(None if visitor is None else visitor.name)
asked = st.query_params.get("event", "")
found = event_data.named(asked, viewer) if asked else None
if found is None:
    st.title("Projector")
    st.warning(
        f"There is no event “{shortened(asked)}” that you may see."
        if asked
        else "Name the event in the address: `?event=NAME`."
    )
    st.page_link("views/events.py", label="Events")
else:
    st.set_page_config(f"{found.event.terms.title} · Bluff Arena", layout="wide")
    show(found)
    browser.evening(found.now)
    name = found.event.name
    browser.keep_current(("projector", name, viewer), mark(name), lambda: mark(name))
