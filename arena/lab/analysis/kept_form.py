"""The stored form of a match's decisions: JSON with their losses, without all other values."""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final

from arena.games.notation import Notation
from arena.lab.analysis.bluff.solved_play import chosen_file
from arena.lab.analysis.decisions import AnalysedDecision
from arena.lab.analysis.solved_place import SolvedPlace

_FORMAT: Final = 4
"""The version of the form; it changes with the form and with how decisions are valued."""
_DIGITS: Final = 6


def edition() -> str:
    """Return a string that changes whenever decisions may get new values. Raises PlayFileError."""
    tables = chosen_file()
    return f"{_FORMAT}-{sha256(tables).hexdigest()[:16] if tables else 'search'}"


def to_json(decisions: Iterable[AnalysedDecision], notation: Notation) -> str:
    """Return the stored text of a match's decisions."""
    return json.dumps([_row(one, notation) for one in decisions], separators=(",", ":"))


def from_json(text: str | bytes, notation: Notation) -> tuple[AnalysedDecision, ...]:
    """Return the decisions in a text of `to_json`.

    They have no views, and only the values of the action taken and of the best one.
    """
    return tuple(_decision(row, notation) for row in json.loads(text))


def _row(one: AnalysedDecision, notation: Notation) -> list[Any]:
    row = [
        *(one.step, one.seat, notation.to_json(one.action), int(one.forced)),
        *(_rounded(one.unread), _rounded(one.read), one.source, _rounded(one.win)),
        one.solved and [*one.solved[:4], *map(_rounded, one.solved[4:])],
    ]
    if one.loss:
        row += [notation.to_json(one.best), _rounded(one.loss)]
    return row


def _decision(row: list[Any], notation: Notation) -> AnalysedDecision:
    step, seat, noted, forced, unread, read, source, win, place, *better = row
    action = notation.from_json(noted)
    values: dict[Any, float] | None = None
    if win is not None:
        values = {action: win}
        if better:
            values[notation.from_json(better[0])] = win + better[1]
    solved = SolvedPlace(*place) if place else None
    return AnalysedDecision(
        step, seat, None, action, bool(forced), unread, read, values, source, solved
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
