"""The page "Matches": finished matches, newest first, with filters."""

from urllib.parse import urlencode

import streamlit as st

from arena.games import GAMES
from arena_dashboard import data, tables
from arena_dashboard.markup import tag
from arena_dashboard.url_choice import to_url, url_choice

st.title("Matches")

names = data.bot_names()
bot = url_choice("bot", names)
game = url_choice("game", list(GAMES))
with st.container(horizontal=True):
    # A new filter starts at the top of the list.
    st.selectbox(
        "Bot",
        names,
        index=None,
        placeholder="all bots",
        key="bot",
        on_change=to_url("bot", "before"),
        width=260,
    )
    st.selectbox(
        "Game",
        list(GAMES),
        index=None,
        format_func=lambda name: GAMES[name].title,
        placeholder="all games",
        key="game",
        on_change=to_url("game", "before"),
        width=200,
    )
before = st.query_params.get("before")

page = data.match_page(bot=bot, game=game, before=before)
filters = {name: value for name, value in (("bot", bot), ("game", game)) if value}
if page:
    st.html(tables.matches(page))
elif before is not None:
    st.info("There are no older matches.")
elif filters:
    st.info("No match fits these filters.")
else:
    st.info("No match has been played yet.")

turning = []
if before is not None:
    turning.append(tag("a", "Newest", href="matches?" + urlencode(filters)))
if len(page) == data.PAGE:
    older = {**filters, "before": page[-1].match_id}
    turning.append(tag("a", "Older", href="matches?" + urlencode(older), rel="next"))
if turning:
    st.html(tag("nav", *turning, class_="ba-turning", aria_label="Pages"))
