"""The choice of a long ladder's lines, kept in the URL: a page by its number, or around a bot."""

from collections.abc import Sequence

import streamlit as st

from arena.rating.ladder_id import LadderId
from arena.server.boards.board import BoardLine
from arena.server.boards.board_page import page_of, place_of
from arena_dashboard.ladders.ladder_choice import link
from arena_dashboard.matches.match_filter import bot_of_url, choose_bot
from arena_dashboard.parts.markup import in_markdown, tag, turning


def choose_lines(lines: Sequence[BoardLine], most: int) -> range:
    """Return the positions of the lines to show, at most `most`.

    If these are not all, show a widget to find a bot. Warn if the URL's bot is not on the ladder.
    """
    all_shown = len(lines) <= most
    if all_shown:
        bot = bot_of_url("bot")
    else:
        bot, _ = choose_bot("bot", "Find a bot", "page", placeholder="by its name")
    place = None if bot is None else place_of(lines, bot)
    if bot is not None and place is None:
        st.warning(f"No match of “{in_markdown(bot)}” counts on this ladder.")
    if all_shown:
        return range(len(lines))
    text = st.query_params.get("page", "")
    number = int(text) if text.isdecimal() and len(text) < 6 else 0
    return page_of(number * most if place is None else place, len(lines), most)


def turn_pages(path: str, ladder: LadderId, shown: range, count: int, most: int) -> None:
    """Show which of `count` lines are shown, and links to the others; nothing if all are shown."""
    if len(shown) == count:
        return
    number = shown.start // most
    links = [tag("span", f"{shown.start + 1:,} to {shown.stop:,} of {count:,}")]
    if number:
        links.append(tag("a", "Better", href=link(path, ladder, page=str(number - 1)), rel="prev"))
    if shown.stop < count:
        links.append(tag("a", "Weaker", href=link(path, ladder, page=str(number + 1)), rel="next"))
    st.html(turning(*links, about="Pages"))
