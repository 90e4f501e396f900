"""Prints a match: after each action the events, the state, and what everybody sees.

Only what changed since the action before is printed, and a change is printed once with all who see
it: whoever sees more than others stands out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from json import dumps
from pathlib import Path
from textwrap import wrap
from typing import Any

from arena.games.game import DEALER, AnyGame
from tests.games.contract import Case, playout


@dataclass(frozen=True)
class Playthrough:
    """A match between seats that act at random, and the file it is printed to."""

    file: str
    case: Case
    seed: int

    @property
    def path(self) -> Path:
        return Path(__file__).with_name(f"{self.file}.txt")


PLAYTHROUGHS = (
    Playthrough("bluff", Case("bluff", (), 2), seed=4),
    Playthrough(
        "bluff_show_and_reroll",
        Case("bluff", (("show_and_reroll", True), ("dice_per_player", 3)), 3),
        seed=4,
    ),
    # The shortest of many seeds with every kind of action.
    Playthrough("bluff_you", Case("bluff_you", (), 3), seed=509),
    Playthrough("bloeff", Case("bloeff", (), 3), seed=8),
    # The shortest of many seeds with every kind of action, and a seat that goes out.
    Playthrough("skull", Case("skull", (), 3), seed=1752),
)


def recorded(playthrough: Playthrough) -> str:
    """The text of a playthrough."""
    case, game = playthrough.case, playthrough.case.game
    start = game.start(case.seats)
    lines = [
        f"{case.name}, {case.seats} seats, options {dumps(dict(case.options))}, "
        f"seed {playthrough.seed}",
        "",
        "start",
        *_changes(game, case.seats, None, start),
    ]
    for number, step in enumerate(playout(case, playthrough.seed), start=1):
        actor = "dealer" if step.actor is DEALER else f"seat {step.actor}"
        notation = dumps(game.notation.to_json(step.action), ensure_ascii=False)
        lines += ["", f"{number}. {actor}: {shown(step.action)}", *_wrapped("json", notation)]
        for event in game.events(step.before, step.actor, step.action, step.after):
            lines += _wrapped("event", shown(event))
        lines += _changes(game, case.seats, step.before, step.after)
        end = step.after
    placing, scores = shown(game.placing(end)), shown(game.scores(end))
    return "\n".join([*lines, "", f"placing {placing}, scores {scores}", ""])


def _changes(game: AnyGame, seats: int, before: Any, after: Any) -> list[str]:
    lines = _wrapped("state", "; ".join(_difference(before, after)))
    viewers_of: dict[str, list[str]] = {}
    for viewer in (*range(seats), None):
        old = None if before is None else game.view(before, viewer)
        for change in _difference(old, game.view(after, viewer)):
            name = "spectator" if viewer is None else f"seat {viewer}"
            viewers_of.setdefault(change, []).append(name)
    changes_for: dict[str, list[str]] = {}
    for change, viewers in viewers_of.items():
        who = "all" if len(viewers) == seats + 1 else ", ".join(viewers)
        changes_for.setdefault(who, []).append(change)
    for who, changes in changes_for.items():
        lines += _wrapped(f"seen by {who}", "; ".join(changes))
    return lines


def _difference(before: Any, after: Any) -> list[str]:
    old = _members(before)
    return [f"{name} {value}" for name, value in _members(after).items() if old.get(name) != value]


def _members(value: Any) -> Mapping[str, str]:
    if value is None:
        return {}
    # What does not count for equality is no part of a position.
    names = (
        [field.name for field in fields(value) if field.compare]
        if is_dataclass(value)
        else value._fields
    )
    return {name: shown(getattr(value, name)) for name in names}


def shown(value: Any) -> str:
    """A value of a game in few characters; nothing is left out."""
    if isinstance(value, Enum):
        return str(value) if type(value).__str__ is not Enum.__str__ else str(value.value)
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return f"({' '.join(map(shown, value))})"
    if is_dataclass(value) or isinstance(value, tuple):
        kind = type(value)
        if "__str__" in vars(kind):
            return str(value)
        members = ", ".join(f"{name}={member}" for name, member in _members(value).items())
        return f"{kind.__name__}({members})"
    return repr(value)


def _wrapped(label: str, text: str) -> list[str]:
    if not text:
        return []
    return wrap(f"{label}: {text}", width=100, initial_indent="  ", subsequent_indent="      ")
