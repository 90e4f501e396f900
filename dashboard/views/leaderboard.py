"""Which bots are best?"""

import json
from collections.abc import Callable

import streamlit as st

from arena.games import GAMES
from arena.storage.errors import StorageError
from dashboard import charts, data, tables
from dashboard.choosing import to_url, url_choice
from dashboard.live_board import LadderName

LIVE_SECONDS = 3.0
# With fewer bots there is no picture to draw.
FEW = 2


def size_in_words(size: tuple[int, ...]) -> str:
    """ "2 seats", "3–4 seats"."""
    return f"{size[0]} seats" if len(size) == 1 else f"{size[0]}–{size[-1]} seats"


def choose_ladder() -> LadderName | None:
    """The ladder of the URL, or the first; None before the first match."""
    played = data.ladders()
    if not played:
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        game = choose("game", list(played), lambda name: GAMES[name].title)
        variants = played[game]
        options = choose("options", list(variants), options_in_words)
        sizes = {f"{size[0]}-{size[-1]}": size for size in variants[options]}
        size = choose("seats", list(sizes), lambda text: size_in_words(sizes[text]))
    return LadderName(game, options, sizes[size])


def choose(name: str, options: list[str], in_words: Callable[[str], str]) -> str:
    """One of a few, by default the first; where there is only one, nothing is asked."""
    if len(options) == 1:
        return options[0]
    chosen = url_choice(name, options, options[0])
    st.segmented_control(
        name.capitalize(),
        options,
        format_func=in_words,
        required=True,
        key=name,
        on_change=to_url(name),
    )
    return chosen or options[0]


def options_in_words(changed: str) -> str:
    """A variant, from its options as JSON."""
    return tables.options(json.loads(changed).items()) or "standard"


@st.fragment(run_every=LIVE_SECONDS)
def live(ladder: LadderName) -> None:
    """The ladder, kept up to date while the page is open."""
    try:
        # Seen at the first visit only: later ones find the board there.
        with st.spinner("Reading the results…"):
            board = data.leaderboard(ladder)
    except StorageError as error:
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
