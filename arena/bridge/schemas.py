"""JSON Schemas of the lines of `arena-stdio/1`, one for each game, in schemas/.

`python -m arena.bridge.schemas` writes the files; a test compares them with what it would write.
"""

import json
from pathlib import Path
from typing import Any

from arena.bridge.lines import VOCABULARY
from arena.games import GAMES
from arena.match.faults import FaultKind
from arena.match.notes import Usage

FOLDER = Path(__file__).with_name("schemas")

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}


def _object(**members: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _usage() -> dict[str, Any]:
    members = {name: _NUMBER | {"minimum": 0} for name in Usage._fields}
    return _object(**members) | {"required": []}


def schema(game: str) -> dict[str, Any]:
    """Return the schema of a line about a match of this game.

    Its definition `answer` is the schema of a program's answer.
    """
    rules = GAMES[game]
    options = rules.options_type.model_json_schema(mode="serialization")
    definitions = rules.view_notation.definitions() | options.pop("$defs", {})
    seat = _object(bot=_TEXT, version=_TEXT, owner=_TEXT)
    time_control = _object(turn_ms=_NUMBER, bank_ms=_NUMBER)
    definitions |= {
        "options": options | {"required": list(options["properties"])},
        "hello": _object(
            type={"const": "hello"},
            vocabulary={"const": VOCABULARY},
            games=_list({"enum": list(GAMES)}),
            max_matches=_NUMBER,
        ),
        "start": _object(
            type={"const": "start"},
            match=_TEXT,
            seat=_NUMBER,
            game={"const": game},
            options={"$ref": "#/$defs/options"},
            seats=_list(seat),
            time_control=time_control,
            fault_limit=_NUMBER,
        ),
        "turn": _object(
            type={"const": "turn"},
            match=_TEXT,
            turn=_NUMBER,
            game={"const": game},
            view={"$ref": "#/$defs/view"},
            events=_list({"$ref": "#/$defs/event"}),
            turn_ms=_NUMBER,
            bank_ms=_NUMBER,
        ),
        "refused": _object(
            type={"const": "refused"},
            match=_TEXT,
            turn=_NUMBER,
            fault={"enum": [kind.value for kind in FaultKind]},
            reason=_TEXT,
            legal=_TEXT,
            faults=_NUMBER,
        ),
        "end": {
            "oneOf": [
                _object(type={"const": "end"}, match=_TEXT, transcript={"type": "object"}),
                _object(type={"const": "end"}, match=_TEXT, called_off=_TEXT),
            ]
        },
        "answer": _object(match=_TEXT, turn=_NUMBER, action={"$ref": "#/$defs/action"}),
    }
    # Only these members are optional.
    definitions["answer"]["properties"] |= {"note": _TEXT, "usage": _usage()}
    lines = ("hello", "start", "turn", "refused", "end")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{VOCABULARY}: a line to a program that plays {rules.title}",
        "oneOf": [{"$ref": f"#/$defs/{line}"} for line in lines],
        "$defs": definitions,
    }


def text(game: str) -> str:
    """Return the schema as the text of its file."""
    return json.dumps(schema(game), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in GAMES:
        FOLDER.joinpath(f"{name}.json").write_text(text(name), encoding="utf-8")
