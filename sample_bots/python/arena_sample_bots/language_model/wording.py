"""The bot's messages to the model: rules, view, events, and a JSON Schema of the legal actions."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from itertools import islice
from typing import Any, TypeAlias

from arena.bot import Turn

AnyTurn: TypeAlias = Turn[Any, Any, Any, Any]

MOST_LISTED = 400
"""The most legal actions that the schema lists; with more it describes only their form."""

_TASK = """You play a match of {title}, in seat {seat} of {seats} (seats count from 0).

{rules}
Options of this match: {options}

You are shown what your seat sees and the public events, as JSON, and you answer with one JSON
object {{"thought": "...", "action": {{...}}}} that fits the schema you are given: a thought of a
sentence or two, and the action that you play."""

_TURN = """Public events since your last turn:
{events}

What your seat sees now:
{view}

JSON Schema of your answer{complete}:
{schema}"""


def task(turn: AnyTurn, prompt: str) -> str:
    """Return the rules in words, the terms of the match and the prompt: the same for all turns."""
    game = turn.game
    rules = files(__package__ or "").joinpath(f"rules/{game.name}.md").read_text("utf-8")
    options = game.options.model_dump_json()
    said = _TASK.format(
        title=game.title, seat=turn.seat, seats=len(turn.entrants), rules=rules, options=options
    )
    return f"{said}\n\n{prompt}" if prompt else said


def question(turn: AnyTurn, events: Sequence[str], schema: Mapping[str, Any]) -> str:
    """Return the turn in words: events since the last one, the view, the schema of the answer."""
    return _TURN.format(
        events="\n".join(events) or "none",
        view=_text(turn.game.view_notation.to_json(turn.view)),
        complete="" if "$defs" in schema else ", which allows every legal action and no other",
        schema=_text(schema),
    )


def events_of(turn: AnyTurn) -> list[str]:
    """Return the events since the bot's last turn, one line each."""
    return [_text(turn.game.view_notation.to_json(event)) for event in turn.events]


def answer_schema(turn: AnyTurn) -> dict[str, Any]:
    """Return the JSON Schema of an answer: of all legal actions, or of the form of an action."""
    listed = list(islice(turn.choices(), MOST_LISTED + 1))
    if len(listed) <= MOST_LISTED:
        written = [turn.game.notation.to_json(action) for action in listed]
        return _answer({"anyOf": list(_merged(written))})
    definitions = turn.game.view_notation.definitions()
    return _answer({"$ref": "#/$defs/action"}) | {"$defs": definitions}


def _answer(action: dict[str, Any]) -> dict[str, Any]:
    return _object({"thought": {"type": "string"}, "action": action})


def _object(members: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def _merged(actions: Sequence[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    """Yield a schema for each group of actions that differ in one member only."""
    names = {name for action in actions for name in action if name != "type"}
    groups = min((_grouped(actions, name) for name in (*sorted(names), "")), key=len)
    for values, action in groups:
        members = {name: {"const": value} for name, value in action.items()}
        yield _object(members | {name: {"enum": found} for name, found in values.items()})


def _grouped(
    actions: Sequence[Mapping[str, Any]], varying: str
) -> list[tuple[dict[str, list[Any]], dict[str, Any]]]:
    """Return groups of actions that differ only in `varying`: its values, and the other members."""
    found: dict[str, tuple[dict[str, list[Any]], dict[str, Any]]] = {}
    values: dict[str, list[Any]] = defaultdict(list)
    for action in actions:
        others = {name: value for name, value in action.items() if name != varying}
        key = _text(others) + str(varying in action)
        if varying in action:
            values[key].append(action[varying])
            found[key] = {varying: values[key]}, others
        else:
            found[key] = {}, others
    return list(found.values())


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
