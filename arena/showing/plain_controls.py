"""The controls of a game without its own: every action in one step, in the words of the table."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena.showing.options import Option


def options(
    actions: Iterable[Any],
    view: Any,  # noqa: ARG001
    names: Sequence[str],  # noqa: ARG001
) -> Iterator[tuple[Any, Option]]:
    """Yield each action as one choice."""
    for action in actions:
        yield action, Option((("", str(action)),), str(action))


def question(view: Any, names: Sequence[str]) -> str:  # noqa: ARG001
    """Return the question of any turn."""
    return "Choose what to do."
