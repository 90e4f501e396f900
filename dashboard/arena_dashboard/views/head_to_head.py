"""The page "Head to head": the matrix of who beats whom, and numbers beyond the Elo."""

import streamlit as st

from arena.boards.live_board import LadderId
from arena_dashboard import comparison_data, comparison_tables
from arena_dashboard.ladder_choice import choose_ladder, in_words, link
from arena_dashboard.markup import tag


def show(ladder: LadderId) -> None:
    """The matrix and the numbers of one moment."""
    facts = comparison_data.ladder_details(ladder)
    if facts.comparisons is None:
        st.info("No match of this ladder counts yet.")
        return
    standings, comparisons = facts.board.standings, facts.comparisons
    st.caption(
        f"{in_words(ladder)} · {facts.board.matches:,} rated matches. Points that the row's bot "
        "took from the column's, in per cent, a tie being half a point; below, the 95 % Wilson "
        "interval."
    )
    if len(standings) > comparison_tables.MATRIX_BOTS:
        st.caption(
            f"The first {comparison_tables.MATRIX_BOTS} of {len(standings)} bots; a bot's own page "
            "has all its opponents."
        )
    st.html(comparison_tables.matrix(standings, comparisons))
    worst = comparison_tables.worst_in_words(standings, comparisons)
    if worst:
        st.markdown(worst)
    st.subheader("Comparisons")
    check = None
    if st.query_params.get("check") == "1":
        with st.spinner("Fitting the exact model…"):
            check = comparison_data.check(ladder)
    st.html(
        comparison_tables.numbers(
            standings, comparisons, facts.troubles, facts.across_tables, check
        )
    )
    if check is None:
        st.html(
            tag(
                "p",
                tag("a", "Check the model", href=link("head-to-head", ladder, check="1")),
                " (the exact Plackett–Luce model with ties, and intervals of the Nash weights; "
                "takes some seconds)",
                class_="ba-link",
            )
        )
    else:
        st.markdown(comparison_tables.check_in_words(standings, check))
    st.caption(
        "Nash: the weight of each bot in the equilibrium of choosing a bot. A bot that only beats "
        "weak bots gains Elo but no weight. Small changes of the results can change it a lot."
    )


st.title("Head to head")
chosen = choose_ladder()
if chosen is None:
    st.info("No match has been played yet.")
else:
    show(chosen)
