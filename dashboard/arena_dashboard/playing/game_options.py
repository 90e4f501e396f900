"""The options of a game as widgets, with the game's bounds and defaults."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from arena.games.game import AnyGame

HIGHEST: Final = 10_000
"""The upper bound of a number for which the game states none."""


@dataclass(frozen=True, slots=True)
class Choosable:
    """An option that can be chosen."""

    name: str
    meaning: str
    default: Any
    among: tuple[Any, ...] = ()
    """All values of an option with few values; empty for a number."""
    low: int = 0
    high: int = HIGHEST

    @property
    def label(self) -> str:
        """The label of its widget."""
        return self.name.replace("_", " ").capitalize()


def choices(game: AnyGame) -> Iterator[Choosable]:
    """Yield the options that a person can choose: numbers, switches, and one of several values.

    The number of seats is not among them, as it follows from the opponents. Tables of cards and of
    points are for programs.
    """
    for name, schema in game.options_type.model_json_schema()["properties"].items():
        meaning, default = schema.get("description"), schema.get("default")
        if meaning is None:
            continue
        if "enum" in schema:
            yield Choosable(name, meaning, default, tuple(schema["enum"]))
        elif schema.get("type") == "boolean":
            yield Choosable(name, meaning, default, (False, True))
        elif schema.get("type") == "integer" and "const" not in schema:
            low, high = schema.get("minimum", 0), schema.get("maximum", HIGHEST)
            yield Choosable(name, meaning, default, low=low, high=high)


def choose_options(game: AnyGame) -> dict[str, Any]:
    """Show widgets for the options of a game, and return those that differ from the defaults."""
    changed: dict[str, Any] = {}
    with st.expander("Options of the game"):
        columns = st.columns(2)
        for at, choice in enumerate(choices(game)):
            with columns[at % 2]:
                value = _ask(choice, f"option-{game.name}-{choice.name}")
            if value != choice.default:
                changed[choice.name] = value
    return changed


def _ask(choice: Choosable, key: str) -> Any:
    meaning = f"{choice.meaning[:1].upper()}{choice.meaning[1:]}."
    if choice.among == (False, True):
        return st.toggle(choice.label, choice.default, key=key, help=meaning)
    if choice.among:
        return st.selectbox(
            choice.label,
            choice.among,
            choice.among.index(choice.default),
            key=key,
            help=meaning,
            format_func=_in_words,
        )
    return st.number_input(
        choice.label,
        choice.low,
        choice.high,
        choice.default,
        key=key,
        help=f"{meaning} {choice.low} to {choice.high}.",
    )


def _in_words(value: Any) -> str:
    return str(value).replace("_", " ")
