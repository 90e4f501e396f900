"""Which bots are best?"""

import json

import streamlit as st

from arena.games import GAMES
from arena.storage.errors import DatabaseUnreachableError
from dashboard import charts, data, tables
from dashboard.live_board import LadderName

LIVE_SECONDS = 3.0
FEW = 2
"""With fewer bots there is no picture to draw."""


def size_in_words(size: tuple[int, ...]) -> str:
    """ "2 seats", "3–4 seats"."""
    return f"{size[0]} seats" if len(size) == 1 else f"{size[0]}–{size[-1]} seats"


def choose_ladder() -> LadderName | None:
    """The ladder of the URL, or the first; None before the first match."""
    played = data.ladders()
    if not played:
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        game = st.segmented_control(
            "Game",
            list(played),
            format_func=lambda name: GAMES[name].title,
            default=next(iter(played)),
            required=True,
            key="game",
            bind="query-params",
        )
        variants = played[game]
        options = next(iter(variants))
        if len(variants) > 1:
            options = st.selectbox(
                "Options",
                list(variants),
                format_func=lambda text: tables.options(json.loads(text).items()) or "standard",
                key=f"options_{game}",
                bind="query-params",
                width=260,
            )
        sizes = {size_in_words(size): size for size in variants[options]}
        size = next(iter(sizes))
        if len(sizes) > 1:
            size = st.segmented_control(
                "Table",
                list(sizes),
                default=size,
                required=True,
                key="table",
                bind="query-params",
            )
    return LadderName(game, options, sizes[size])


@st.fragment(run_every=LIVE_SECONDS)
def live(ladder: LadderName) -> None:
    """The ladder, kept up to date while the page is open."""
    try:
        board = data.leaderboard(ladder)
    except DatabaseUnreachableError as error:
        st.warning(str(error))
        return
    if not board.standings:
        st.info(
            "No match of this ladder counts yet: a block of matches counts once it is complete."
        )
        return
    anchor = board.anchor
    measured = (
        f"measured from {anchor.bot} {anchor.version} = {anchor.elo:.0f}"
        if anchor
        else "the mean of all bots is 1500"
    )
    st.caption(
        f"{board.matches:,} rated matches at {size_in_words(ladder.seats)} · "
        f"{len(board.standings)} bots · {measured}"
    )
    if len(board.standings) >= FEW:
        frame = data.frame(board.standings)
        st.altair_chart(
            charts.ratings(frame, f"{anchor.bot} {anchor.version}" if anchor else None),
            alt=charts.in_words(frame),
        )
    st.html(tables.leaderboard(board.standings, ladder.game))
    st.caption(
        "An Elo comes from every pair of every match; its interval counts a block of matches as "
        "one. Bots whose small rank range overlaps cannot be told apart yet."
    )


st.title("Leaderboard")
chosen = choose_ladder()
if chosen is None:
    st.info("No match has been played yet. The first ratings appear here some seconds after it.")
    st.page_link("views/submit.py", label="Write a bot in five minutes")
else:
    live(chosen)
