"""The legal actions of a turn as choices by steps: for a bet first the face, then the number.

Each action is a path of labels; actions that begin alike share the beginning of their paths. For
every game the browser shows one row of buttons for each step.
"""

from collections.abc import Sequence
from typing import Any

from arena.games.game import AnyGame
from arena.showing.controls import CONTROLS


def controls(game: AnyGame, view: Any, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the choices of the first step; `names` are by seat.

    Each has a `label` and a `group`, the kind of choice it is. It also has `next`, the choices of
    the following step, or the `action` in its JSON form and `words` for it.
    """
    roots: list[dict[str, Any]] = []
    for action, option in CONTROLS[game.name].options(game.choices(view), view, names):
        level = roots
        for step, (what, label) in enumerate(option.path):
            node = next((one for one in level if one["label"] == label), None)
            if node is None:
                node = {"label": label, "group": what}
                level.append(node)
            if step == len(option.path) - 1:
                node |= {"action": game.notation.to_json(action), "words": option.words}
            else:
                level = node.setdefault("next", [])
    return roots
