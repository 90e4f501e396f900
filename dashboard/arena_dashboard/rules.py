"""The rules of the games for who reads along: what the sample bot `llm` tells its model."""

from importlib.resources import files
from typing import Final

import streamlit as st

from arena.games import GAMES

_RULES: Final = files("arena_sample_bots") / "language_model" / "rules"


def show_rules(game: str) -> None:
    """The rules of a game, folded up."""
    with st.expander(f"The rules of {GAMES[game].title}"):
        st.markdown(rules(game))
        st.caption("This is what a language model is told that plays as the sample bot `llm`.")


def rules(game: str) -> str:
    """The rules of a game in Markdown; an asterisk in them is the star of a die."""
    return _RULES.joinpath(f"{game}.md").read_text("utf-8").replace("*", r"\*")
