"""The section of a bot's page on its bluffs and doubts."""

from collections.abc import Mapping

import streamlit as st

from arena.games import GAMES
from arena.lab.deception import Deception
from arena_dashboard.bots import deception_tables
from arena_dashboard.bots.deception_tables import BluffPoint
from arena_dashboard.parts.drawn import Drawn, drawn


def show_deception(by_game: Mapping[str, Deception]) -> None:
    """Show how often a bot bluffs and doubts in each game, in all and by situation."""
    if not by_game:
        return
    st.subheader("Deception")
    for game, found in by_game.items():
        compared = found.rows[0].equilibrium
        solved = (
            "No equilibrium to compare it with: one is known in Bluff when two seats are left, "
            "and shown once `arena analyse` has analysed these matches."
            if compared is None
            else f"Solved play is known in {compared.decisions:,} of its decisions."
        )
        st.caption(
            f"{GAMES[game].title}: in {found.matches:,} of its latest matches. A bluff is a claim "
            "that is more likely false than true, given what the bot sees. In parentheses are the "
            f"95 % interval and the counts. {solved}"
        )
        st.html(deception_tables.figures(found))
        points = deception_tables.bluff_points(found)
        if points:
            _chart(points).show()
        with st.expander(f"{GAMES[game].title}: by situation", key=f"deception {game}"):
            st.html(deception_tables.table(found))


@st.cache_data(max_entries=200, show_spinner=False)
def _chart(points: list[BluffPoint]) -> Drawn:
    return drawn(points, deception_tables.bluff_chart, deception_tables.chart_in_words)
