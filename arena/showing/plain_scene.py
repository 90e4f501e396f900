"""The scene of a game without its own: the public fields of the view and the events, in words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final

from arena.games.game import Options
from arena.match.transcript import Step
from arena.showing.claims import ClaimOutcome, ShownClaim
from arena.showing.moments import Moment
from arena.showing.seats import by_seat

QUIET: Final = "Something happens that is not public."
UNIT: Final = ""
SCORE: Final = "points"
ROUND: Final = "Round"

_SEATS: Final = 10
"""The most seats that any table has, because a view may not tell its number of seats."""


def table(moment: Moment, before: Moment | None) -> dict[str, Any]:  # noqa: ARG001
    """Return the fields of the view in words; the player's module `plain` draws them."""
    view = moment.views[0]
    asked = getattr(view, "to_act", None)
    acting = asked if isinstance(asked, tuple) else (asked,)
    return {
        "facts": [f"{name}: {_words(value)}" for name, value in _fields(view)],
        "seats": by_seat(
            {"note": "", "out": False, "act": seat in acting, "role": ""} for seat in range(_SEATS)
        ),
    }


def standing(view: Any) -> Sequence[int]:  # noqa: ARG001
    """Return nothing, as only a game knows what its seats have."""
    return ()


def round_started(event: Any) -> int | None:  # noqa: ARG001
    """Return None, as only a game knows its rounds."""
    return None


def claimed(
    moment: Moment,  # noqa: ARG001
    before: Moment | None,  # noqa: ARG001
    after: Moment | None,  # noqa: ARG001
    rules: Options,  # noqa: ARG001
) -> ShownClaim | None:
    """Return None, as only a game knows its claims."""
    return None


def outcome(moment: Moment, before: Moment | None) -> ClaimOutcome | None:  # noqa: ARG001
    """Return None, as nothing is claimed."""
    return None


def tell(event: Any, names: Sequence[str]) -> str:
    """Return an event as its name and its fields; a field `seat` by the bot's name."""
    told = [
        names[value] if name == "seat" and isinstance(value, int) else f"{name} {_words(value)}"
        for name, value in _fields(event)
    ]
    return ": ".join(filter(None, (_spaced(type(event).__name__), ", ".join(told)))) + "."


def reveal(step: Step, names: Sequence[str]) -> str | None:
    """Return what was drawn or played, in the words of the table."""
    who = names[step.actor] if isinstance(step.actor, int) else "The dealer"
    return f"{who}: {step.action}."


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    names = (
        [one.name for one in fields(value)]
        if is_dataclass(value)
        else getattr(value, "_fields", ())
    )
    for name in names:
        yield name.replace("_", " "), getattr(value, name)


def _words(value: Any) -> str:
    match value:
        case None:
            return "–"
        case Enum():
            return str(value.value)
        case tuple() if not hasattr(value, "_fields"):
            return ", ".join(map(_words, value)) or "–"
        case _:
            return str(value)


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize()
