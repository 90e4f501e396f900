"""The page "Head to head": the matrix of who beats whom, and numbers beyond the Elo."""

from contextlib import nullcontext

import streamlit as st

from arena.rating.ladder_id import LadderId
from arena_dashboard.ladders import comparison_data, comparison_tables
from arena_dashboard.ladders.ladder_choice import choose_ladder, in_words, ladder_tabs, link
from arena_dashboard.ladders.ladder_page import choose_lines, turn_pages
from arena_dashboard.parts.markup import in_markdown, tag
from arena_dashboard.parts.url_choice import url_switch


def show(ladder: LadderId) -> None:
    """Show the matrix and the numbers of one moment."""
    checked = url_switch("check")
    lines, most = comparison_data.ladder_details(ladder).board.lines, comparison_tables.MATRIX_BOTS
    shown = choose_lines(lines, most)
    with st.spinner("Fitting the exact model…") if checked else nullcontext():
        page = comparison_data.comparisons_page(ladder, shown.start, shown.stop, checked=checked)
    if page is None:
        st.info("No match of this ladder counts yet.")
        return
    st.caption(
        f"{in_words(ladder)} · {page.matches:,} rated matches. In each cell: the points that the "
        "row's bot took from the column's, in percent (a tie is half a point); their 95 % Wilson "
        "interval, valid if one looks once; and their 95 % confidence sequence, valid however "
        "often one looks."
    )
    st.html(page.matrix)
    for sentence in (page.decided, page.worst):
        if sentence:
            st.markdown(in_markdown(sentence))
    st.subheader("Comparisons")
    st.html(page.numbers)
    turn_pages("head-to-head", ladder, shown, len(lines), most)
    if page.check:
        st.markdown(in_markdown(page.check))
    else:
        st.html(
            tag(
                "p",
                tag("a", "Check the model", href=link("head-to-head", ladder, check="1")),
                " (the exact Plackett–Luce model with ties, and intervals of the Nash weights; "
                "takes some seconds)",
                class_="ba-link",
            )
        )
    st.caption(
        "Nash: the weight of each bot in the equilibrium of the game of choosing a bot. A bot that "
        "only beats weak bots gains Elo but no weight. Small changes of the results can change the "
        "weights a lot. "
        "Wins: the share of its matches at tables of that size that it won."
    )


st.title("Head to head")
chosen = choose_ladder()
if chosen is None:
    st.info("No match has been played yet.")
else:
    ladder_tabs("head-to-head", chosen)
    show(chosen)
