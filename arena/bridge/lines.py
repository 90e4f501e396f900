"""The lines between the bridge and its program, `arena-stdio/1`; docs/stdio.md describes them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.bot import Match, Refusal, Transcript, Turn
from arena.match.json_text import JsonTextError, parse
from arena.match.transcript import Setup
from arena.match.transcript_json import terms_to_json, to_json
from arena.validation_errors import json_excerpt

VOCABULARY: Final = "arena-stdio/1"
LONGEST: Final = 2**20
"""The maximum length of a line of the program, in bytes."""

_ANSWER: Final = ("match", "turn", "action")
_BESIDE: Final = ("note", "usage")
"""The members that an answer may also have."""


class LineError(ValueError):
    """An error in a line that is not a valid answer; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """An answer that the program wrote."""

    match_id: str
    turn_number: int
    action: Any
    """The JSON value, not checked to be an action."""
    note: Any = None
    """The JSON value, not checked to be a text; None without one."""
    usage: Any = None
    """The JSON value, not checked to be a usage; None without one."""


def hello(games: Sequence[str], max_matches: int) -> str:
    """Return the first line."""
    return _line(
        {"type": "hello", "vocabulary": VOCABULARY, "games": games, "max_matches": max_matches}
    )


def start(match: Match[Any]) -> str:
    """Return the line for the start of a match."""
    setup = Setup(
        match.match_id,
        match.game.name,
        match.game.options,
        match.entrants,
        match.time_control,
        match.fault_limit,
    )
    return _line(
        {"type": "start", "match": match.match_id, "seat": match.seat, **terms_to_json(setup)}
    )


def turn(turn: Turn[Any, Any, Any, Any]) -> str:
    """Return the line that asks the program for an action."""
    written = turn.game.view_notation.to_json
    return _line(
        {
            "type": "turn",
            "match": turn.match_id,
            "turn": turn.number,
            "game": turn.game.name,
            "view": written(turn.view),
            "events": [written(event) for event in turn.events],
            "turn_ms": turn.turn_ms,
            "bank_ms": turn.bank_ms,
        }
    )


def refused(match_id: str, refusal: Refusal) -> str:
    """Return the line for a fault: an answer that did not count."""
    return _line(
        {
            "type": "refused",
            "match": match_id,
            "turn": refusal.turn_number,
            "fault": refusal.kind.value,
            "reason": refusal.reason,
            "legal": refusal.legal,
            "faults": refusal.faults,
        }
    )


def end(transcript: Transcript) -> str:
    """Return the line for the end of a match, with its transcript."""
    return _line(
        {
            "type": "end",
            "match": transcript.setup.match_id,
            "transcript": to_json(transcript),
        }
    )


def called_off(match_id: str, reason: str) -> str:
    """Return the line for a match that ends without a result."""
    return _line({"type": "end", "match": match_id, "called_off": reason})


def _line(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"))


def read_answer(line: bytes) -> AnswerLine:
    """Return the answer in a line. Raises LineError if the line is not a valid answer."""
    if len(line) > LONGEST:
        raise LineError(f"longer than {LONGEST:,} bytes")
    try:
        value = parse(line)
    except JsonTextError as error:
        raise LineError(str(error)) from error
    if not isinstance(value, dict):
        raise LineError(f"found {json_excerpt(value)}; allowed is an object")
    for name in _ANSWER:
        if name not in value:
            raise LineError(f"{name} is missing")
    for name in value:
        if name not in (*_ANSWER, *_BESIDE):
            raise LineError(f"{json_excerpt(name)}: there is no such member")
    match_id, number = value["match"], value["turn"]
    if not isinstance(match_id, str):
        raise LineError(f"match: found {json_excerpt(match_id)}; allowed is a text")
    if type(number) is not int:
        raise LineError(f"turn: found {json_excerpt(number)}; allowed is a whole number")
    beside = [value.get(name) for name in _BESIDE]
    return AnswerLine(match_id, number, value["action"], *beside)
