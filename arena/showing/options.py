"""`Option`: one legal action as a path of choices."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """One way to act."""

    path: tuple[tuple[str, str], ...]
    """(what is chosen, the choice) for each step: actions that begin alike share its beginning."""
    words: str
    """The whole action, as the button that plays it says it."""
