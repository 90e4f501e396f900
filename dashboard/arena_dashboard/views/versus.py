"""The page about two bots: who is better on a ladder, and all their matches."""

from urllib.parse import urlencode

import streamlit as st

from arena.rating.ladder_id import LadderId
from arena.server.results.match_search import MatchFilter
from arena_dashboard.ladders import comparison_data, versus
from arena_dashboard.ladders.ladder_choice import choose_ladder, in_words
from arena_dashboard.matches import match_filter
from arena_dashboard.parts import tables
from arena_dashboard.parts.markup import in_markdown, tag, turning
from arena_dashboard.parts.tables import to_bot
from arena_dashboard.reading import data


def show_verdict(bot: str, opponent: str, ladder: LadderId) -> None:
    """Show what the results on a ladder say."""
    facts = comparison_data.ladder_details(ladder)
    if facts.comparisons is None:
        st.info("No match of this ladder counts yet.")
        return
    found = versus.met(bot, opponent, facts.board.lines, facts.comparisons)
    st.markdown(f"**{in_markdown(versus.verdict(found, in_words(ladder)))}**")
    if found.count:
        st.html(versus.share_bar(found))


def show_matches(bot: str, opponent: str) -> None:
    """Show their newest matches, on all ladders."""
    st.subheader("Their matches")
    rows = data.find_matches(MatchFilter(bot=bot, opponent=opponent))
    if not rows:
        st.info("They have not met yet.")
        return
    st.html(tables.matches(rows))
    more = "matches?" + urlencode({"bot": bot, "opponent": opponent})
    st.html(turning(tag("a", "All their matches", href=more)))


st.title("Head to head")
with st.container(horizontal=True):
    bot, _ = match_filter.choose_bot("bot", "Bot")
    opponent, _ = match_filter.choose_bot("opponent", "Opponent")
if bot is None or opponent is None or bot == opponent:
    st.info("Choose two bots.")
    st.stop()
st.set_page_config(f"{bot} against {opponent} · Bluff Arena")
st.html(tag("p", to_bot(bot), " against ", to_bot(opponent), class_="ba-link"))
ladder = choose_ladder()
if ladder is not None:
    show_verdict(bot, opponent, ladder)
show_matches(bot, opponent)
