"""The part of a page that shows where a bot loses most, or the commands that find it out."""

import shlex

import streamlit as st

from arena.lab.analysis import ANALYSED_GAMES
from arena_dashboard.bots import bot_data
from arena_dashboard.bots.bot_tables import biggest_leak


def show_biggest_leak(bot: str) -> None:
    """Show where the bot loses most, or how to find it out if no analysis is kept."""
    found = bot_data.decisions(bot)
    if found is not None:
        st.markdown(biggest_leak(found.sums))
        st.caption(f"From its latest {found.sums.matches} analysed matches.")
    elif plays_an_analysed_game(bot):
        show_how_to_analyse(bot)
    else:
        st.markdown("Only decisions in Bluff have values, and this bot has made none yet.")


def plays_an_analysed_game(bot: str) -> bool:
    """Return whether the bot's latest matches include a game whose decisions have values."""
    return any(match.game in ANALYSED_GAMES for match in bot_data.recent(bot).matches)


def show_how_to_analyse(bot: str) -> None:
    """Show the commands that find out where a bot loses most."""
    st.markdown(
        f"None of its newest {bot_data.ANALYSED_MATCHES} matches has been analysed here, so no "
        "page says where it loses most. These commands do, where its program is:"
    )
    st.code(
        "arena play mine.py honest --matches 200 --transcripts matches.jsonl\n"
        "arena analyse matches.jsonl --bot mine",
        language="bash",
    )
    st.markdown("On the arena's machine, the operator analyses all matches, or this bot's:")
    st.code(
        f"arena analyse --missing\narena analyse --bot {shlex.quote(bot)}",
        language="bash",
    )
