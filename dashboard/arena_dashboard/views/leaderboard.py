"""The page "Leaderboard": the bots of a ladder, best first."""

import streamlit as st

from arena.boards.live_board import LadderId
from arena.storage.errors import StorageError
from arena_dashboard import charts, data, tables
from arena_dashboard.ladder_choice import choose_ladder, size_in_words

LIVE_SECONDS = 3.0
# With fewer bots a chart says nothing.
FEW = 2


@st.fragment(run_every=LIVE_SECONDS)
def live(ladder: LadderId) -> None:
    """The ladder, kept up to date while the page is open."""
    try:
        # Only the first visit waits: later ones use the same board.
        with st.spinner("Reading the results…"):
            board = data.leaderboard(ladder)
    except StorageError as error:
        st.warning(str(error))
        return
    if not board.lines:
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
        f"{len(board.lines)} bots · {measured}"
    )
    if len(board.lines) >= FEW:
        frame = data.frame(board.lines)
        st.altair_chart(
            charts.ratings(frame, f"{anchor.bot} {anchor.version}" if anchor else None),
            alt=charts.in_words(frame),
        )
    st.html(tables.leaderboard(board.lines, ladder.game))
    st.caption(
        "An Elo comes from every pair of every match; its interval counts a block of matches as "
        "one. Bots whose small rank range overlaps cannot be told apart yet."
    )
    note = tables.luck_note(board.lines, ladder.game)
    if note is not None:
        st.caption(note)


st.title("Leaderboard")
chosen = choose_ladder()
if chosen is None:
    st.info("No match has been played yet. The first ratings appear here some seconds after it.")
    st.page_link("views/submit.py", label="Write a bot in five minutes")
else:
    live(chosen)
