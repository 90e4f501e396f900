"""`Option`: one legal action as a path of choices."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """One action that a person may choose."""

    path: tuple[tuple[str, str], ...]
    """The name of the choice and its value, for each step: actions that begin alike share its
    beginning.
    """
    words: str
    """The whole action, as the label of the button that plays it."""
