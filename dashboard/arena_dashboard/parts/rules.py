"""The rules of a game for people: text with a picture of the table, from the game's folder."""

from base64 import b64encode
from importlib.resources import files
from typing import Final

import streamlit as st

from arena.games import GAMES
from arena_dashboard.parts.markup import tag

_GAMES: Final = files("arena.games")


def has_rules(game: str) -> bool:
    """Return whether the folder of a game has a page of rules for people."""
    return (_GAMES / game / "rules.md").is_file()


def show_rules(game: str, *, unfolded: bool = False) -> None:
    """Show the rules of a game, by default folded up; nothing if the game's folder has none."""
    folder = _GAMES / game
    text, picture = folder / "rules.md", folder / "table.svg"
    if not has_rules(game):
        return
    with st.expander(f"The rules of {GAMES[game].title}", expanded=unfolded):
        if picture.is_file():
            encoded = b64encode(picture.read_bytes()).decode()
            st.html(
                tag(
                    "img",
                    src=f"data:image/svg+xml;base64,{encoded}",
                    alt=f"The table at {GAMES[game].title}; the text below explains it.",
                    class_="ba-table-picture",
                )
            )
        st.markdown(text.read_text("utf-8"))
