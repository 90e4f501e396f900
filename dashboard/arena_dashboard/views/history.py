"""The page "Rating history": the ratings of a ladder over time."""

import streamlit as st

from arena.rating.ladder_id import LadderId
from arena_dashboard.ladders import comparison_data, history_chart
from arena_dashboard.ladders.ladder_choice import choose_ladder, in_words, ladder_tabs
from arena_dashboard.parts.url_choice import to_url_list, url_choices


def show(ladder: LadderId) -> None:
    """Show the ratings of the chosen bots, or of the best."""
    with st.spinner("Replaying the results…"):
        found = comparison_data.history(ladder)
    if not found.points:
        st.info("No match of this ladder counts yet.")
        return
    last = found.points[-1]
    names = {
        str(found.versions[rating.version_id].entrant): rating.version_id for rating in last.ratings
    }
    most = history_chart.MOST_BOTS
    bots = url_choices("bots", list(names), list(names)[: most - 2], "bot", most=most)
    suggested = history_chart.suggested(list(names), bots)
    st.multiselect(
        "Bots",
        suggested,
        key="bots",
        accept_new_options=len(suggested) < len(names),
        max_selections=most,
        placeholder="none chosen",
        on_change=to_url_list("bots"),
    )
    if not bots:
        st.info("Choose a bot.")
        return
    comparison_data.history_drawn(ladder, [names[bot] for bot in bots]).show()
    st.caption(
        f"{in_words(ladder)} · {len(found.points)} points, each fitted to all matches up to it, "
        "with the intervals at that time. They are recomputed from the log of results; "
        "`arena history` prints the same numbers."
    )


st.title("Rating history")
chosen = choose_ladder()
if chosen is None:
    st.info("No match has been played yet.")
else:
    ladder_tabs("history", chosen)
    show(chosen)
