"""The page "Replay": one match in the player, from a viewpoint.

`?match=…&step=…&view=…` is a link to one moment, seen by one seat, by a spectator, or with
everything open; `&analysis=1` adds what decisions were worth; `&embed=1` leaves out all but the
player.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from arena.clients.referee_client import OwnerCallError
from arena.database.errors import TranscriptDamagedError, TranscriptNotKeptError
from arena.database.rows import MatchRow
from arena_dashboard.matches import match_notes, match_page
from arena_dashboard.parts import tables
from arena_dashboard.parts.markup import command, together
from arena_dashboard.parts.rules import show_rules
from arena_dashboard.parts.url_choice import url_switch, warn_of_unknown
from arena_dashboard.player import component
from arena_dashboard.reading import data
from arena_dashboard.reading.watching import Onlooker


def choose_match() -> str:
    """Return the match of the URL, else the newest; ends the page if there is none."""
    match_id = st.query_params.get("match") or data.newest_match()
    if match_id is None:
        st.title("Replay")
        st.info("No match has been played yet.")
        st.stop()
    return match_id


def read(match_id: str, *, analysed: bool) -> tuple[Mapping[str, Any], MatchRow]:
    """Return the match from the URL's viewpoint; ends the page if there is no such match."""
    try:
        view = st.query_params.get("view", Onlooker.EVERYTHING.value)
        seen = data.replay(match_id, view, analysed=analysed)
    except TranscriptNotKeptError as error:
        found = data.match(match_id)
        st.title("Replay")
        if found is not None:
            st.html(tables.matches([found]))
        st.info(str(error))
        st.stop()
    except TranscriptDamagedError as error:
        st.error(str(error))
        st.stop()
    row = data.match(match_id)
    if seen is None or row is None:
        st.title("Replay")
        st.info("There is no such match. See the list of matches.")
        st.page_link("views/matches.py", label="Matches")
        st.stop()
    return seen, row


def go(asked: dict[str, str]) -> None:
    """Give Streamlit the address, which the player has already changed in the browser."""
    st.query_params.from_dict(asked)


def notes_of(match_id: str) -> tuple[list[match_notes.NotedTurn], str]:
    """Return the notes that the visitor may read; or none, and why they cannot be read now."""
    try:
        return match_notes.readable(match_id), ""
    except OwnerCallError as error:
        return [], f"The notes cannot be read now: {error}"


analysed = url_switch("analysis")
match, row = read(choose_match(), analysed=analysed)
block = data.block_of(row)
st.set_page_config(f"{match['title']}: {' – '.join(match['names'])} · Bluff Arena")
viewpoints = [*(one.value for one in Onlooker), *map(str, range(row.seat_count))]
warn_of_unknown("view", viewpoints, "viewpoint")
previous, following = match_page.neighbours(block, row.match_id)
seats = match_notes.usages([row.match_id]).get(row.match_id, {})
turns, unread = notes_of(row.match_id) if seats else ([], "")
content = data.replay_content(
    *(row.match_id, match["view"], previous, following),
    analysed=analysed,
    notes=match_notes.for_player(turns),
)
component.show(content, go)

# Hidden where the player is embedded in another page.
with st.container(key="around"):
    facts = match_page.match_facts(row, match["doubt"], match["signedBy"])
    links = match_page.links(row, block, data.tournament_of(row), match["view"])
    st.html(together(facts, links))
    if seats:
        match_notes.show_notes(row.match_id, match["view"], seats, turns, unread)
    show_rules(row.game)
    st.download_button(
        "Transcript",
        lambda: data.transcript_file(row.match_id),
        f"{row.match_id}.json",
        "application/json",
        on_click="ignore",
        key="transcript",
    )
    st.caption("To check every draw and the result, download the transcript and run in its folder:")
    st.html(command(f"arena verify {row.match_id}.json"))
