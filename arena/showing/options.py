"""`Option`: one legal action as a path of choices."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """One action that a person may choose."""

    path: tuple[tuple[str, str], ...]
    """For each step, the name of the choice and the chosen value; actions with the same first
    choices share the beginning of the path.
    """
    words: str
    """The whole action, as the label of the button that plays it."""
