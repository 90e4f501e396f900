"""The page "Replay": one match step by step, from a viewpoint.

`?match=…&step=…&view=…` is a link to one moment, seen by one seat, by a spectator, or with
everything open.
"""

import streamlit as st

from arena.storage.errors import TranscriptDamagedError
from arena_dashboard import data, match_page
from arena_dashboard.scenes import SCENES, sentences
from arena_dashboard.watching import Onlooker, Watched, parse_viewpoint, write_viewpoint


def choose_match() -> str:
    """The match of the URL, else the newest; ends the page if there is none."""
    match_id = st.query_params.get("match") or data.newest_match()
    if match_id is None:
        st.title("Replay")
        st.info("No match has been played yet.")
        st.stop()
    st.query_params["match"] = match_id
    return match_id


def see(match_id: str) -> Watched:
    """The match from the URL's viewpoint; ends the page if there is no such match."""
    try:
        watched = data.watched(match_id, st.query_params.get("view", Onlooker.EVERYTHING.value))
    except TranscriptDamagedError as error:
        st.error(str(error))
        st.stop()
    if watched is None:
        st.title("Replay")
        st.info("There is no such match. See the list of matches.")
        st.page_link("views/matches.py", label="Matches")
        st.stop()
    return watched


def link_to(step: int) -> None:
    """Go to a step, and write it into the URL."""
    st.query_params.update({"match": match.match_id, "step": str(step)})


def moved() -> None:
    """Handle a move of the slider."""
    link_to(st.session_state["at"])


def turned() -> None:
    """Handle the choice of a viewpoint."""
    st.query_params.update(
        {"match": match.match_id, "step": str(moment.step), "view": st.session_state["view_"]}
    )


def in_words(viewpoint: str) -> str:
    """A viewpoint's label."""
    chosen = parse_viewpoint(viewpoint, len(match.names))
    if isinstance(chosen, int):
        return match.names[chosen]
    return "Everything" if chosen is Onlooker.EVERYTHING else "Spectator"


def step_of_url() -> int:
    """The step of the URL; 0 if it is invalid."""
    text = st.query_params.get("step", "0")
    return int(text) if text.isascii() and text.isdigit() else 0


match = see(choose_match())
at = match.moment_at(step_of_url())
moment = match.moments[at]
last = len(match.moments) - 1

st.title(f"{match.title} · {' – '.join(match.names)}")
st.html(match_page.match_facts(match, data.match(match.match_id)))
if match.broken is not None:
    st.error(f"This match cannot be replayed to its end: {match.broken}.")

# Set from the URL at every run: the URL determines what widgets show.
st.session_state["view_"] = write_viewpoint(match.viewpoint)
st.session_state["at"] = moment.step
st.segmented_control(
    "Seen by",
    [
        Onlooker.EVERYTHING.value,
        Onlooker.SPECTATOR.value,
        *(str(seat) for seat in range(len(match.names))),
    ],
    format_func=in_words,
    key="view_",
    on_change=turned,
    required=True,
)
with st.container(horizontal=True, gap="small", key="turning"):
    for label, target, shortcut in (
        ("First", 0, "Home"),
        ("Back", max(0, at - 1), "Left"),
        ("Next", min(last, at + 1), "Right"),
        ("Last", last, "End"),
    ):
        st.button(
            label,
            key=f"turn_{label.lower()}",
            on_click=link_to,
            args=(match.moments[target].step,),
            disabled=target == at,
            shortcut=shortcut,
        )
if last:
    st.select_slider(
        "Step",
        [one.step for one in match.moments],
        key="at",
        on_change=moved,
        label_visibility="collapsed",
    )

scene, words = st.columns([5, 3], gap="large")
with scene:
    now = sentences(moment, match.game, match.names)
    st.html(match_page.headline(moment.step, now))
    st.html(SCENES[match.game].render(moment, match.names))
    if at == last:
        st.html(match_page.result(match))
with words:
    st.html(
        match_page.story(
            (past.step, sentences(past, match.game, match.names))
            for past in reversed(match.moments[: at + 1])
        )
    )
