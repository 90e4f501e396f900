"""The page of one bot: its ratings on all ladders, its opponents, its last matches."""

from urllib.parse import urlencode

import streamlit as st

from arena.boards.details import Details
from arena_dashboard import comparison_data, comparison_tables, data, tables
from arena_dashboard.ladder_choice import in_words, link
from arena_dashboard.markup import tag
from arena_dashboard.url_choice import to_url, url_choice

LAST_MATCHES = 10


def show_ladder(facts: Details, bot: str) -> None:
    """Every version of the bot on one ladder."""
    st.subheader(in_words(facts.ladder))
    assert facts.comparisons is not None  # a ladder with a standing
    for at, line in enumerate(facts.board.lines):
        if line.bot == bot:
            wins = [
                cell
                for cell in facts.across_tables[line.version_id].wins
                if cell.seats in facts.ladder.seats
            ]
            trouble = facts.troubles.get(line.version_id)
            weight = facts.comparisons.nash_weight[at]
            st.html(comparison_tables.ladder_numbers(line, weight, trouble, wins))
            st.html(
                comparison_tables.opponents(facts.board.lines, facts.comparisons, line.version_id)
            )
    history = link("history", facts.ladder, bots=",".join(comparison_data.versions_on(facts, bot)))
    st.html(
        tag(
            "nav",
            tag("a", "Rating history", href=history),
            tag("a", "Head to head", href=link("head-to-head", facts.ladder)),
            class_="ba-turning",
        )
    )


names = data.bot_names()
bot = url_choice("bot", names, names[0] if names else None)
st.title(bot or "Bot")
if bot is None:
    st.info("No bot has been registered yet.")
    st.stop()
st.selectbox("Bot", names, key="bot", on_change=to_url("bot"), width=260)

ladders = comparison_data.ladders_of(bot)
if not ladders:
    st.info("No match of this bot counts yet: a block of matches counts once it is complete.")
for one in ladders:
    show_ladder(one, bot)

last = data.match_page(bot=bot, game=None, before=None)[:LAST_MATCHES]
if last:
    st.subheader("Last matches")
    st.html(tables.matches(last))
    st.html(
        tag(
            "nav",
            tag("a", "All its matches", href="matches?" + urlencode({"bot": bot})),
            class_="ba-turning",
        )
    )
