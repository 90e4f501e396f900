"""The JSON form of a transcript, `arena-transcript/1`, described in docs/transcript.md.

Made for independent programs and for people's eyes: plain numbers, names and hexadecimal strings.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena.games import GAMES, OptionsError, UnknownGameError, make_game
from arena.games.game import DEALER
from arena.games.notation import NotationError
from arena.match.clock import TimeControl
from arena.match.faults import FaultKind
from arena.match.replay import TranscriptError
from arena.match.result import Result, Termination
from arena.match.transcript import PROTOCOL_VERSION, Entrant, Opening, Setup, Step, Transcript

FORMAT = "arena-transcript/1"

_Natural = Annotated[int, Field(ge=0)]
_Uuid = Annotated[
    str, Field(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
]
_Hex = Annotated[str, Field(pattern=r"^([0-9a-f]{2})*$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Seat(_Part):
    bot: str
    version: str
    owner: str


class _Time(_Part):
    turn_ms: _Natural
    bank_ms: _Natural


class _Step(_Part):
    actor: Literal["dealer"] | _Natural
    action: dict[str, Any]
    ms: _Natural = 0
    fault: Literal["late", "illegal", "malformed", "absent"] | None = None
    stand_in: bool = False


class _Fault(_Part):
    step: _Natural
    seat: _Natural
    kind: Literal["late", "illegal", "malformed", "absent"]


class _Result(_Part):
    termination: Literal["finished", "forfeit"]
    placings: list[int]
    scores: list[int] | None
    faults: list[_Natural]
    forfeited: list[bool]


class _Opening(_Part):
    secret: _Hex
    entropies: list[_Hex]


class _Document(_Part):
    format: Literal["arena-transcript/1"]
    protocol_version: Literal[1]
    match_id: _Uuid
    game: str
    options: dict[str, Any]
    seats: list[_Seat]
    time_control: _Time
    fault_limit: _Natural
    commitment: _Hex
    steps: list[_Step]
    faults: list[_Fault]
    result: _Result
    opening: _Opening


def to_json(transcript: Transcript) -> dict[str, Any]:
    """The JSON object of a transcript."""
    setup, result = transcript.setup, transcript.result
    return {
        "format": FORMAT,
        "protocol_version": transcript.protocol_version,
        "match_id": setup.match_id,
        "game": setup.game,
        "options": setup.options.model_dump(mode="json"),
        "seats": [
            {"bot": entrant.bot, "version": entrant.version, "owner": entrant.owner}
            for entrant in setup.entrants
        ],
        "time_control": {
            "turn_ms": setup.time_control.turn_ms,
            "bank_ms": setup.time_control.bank_ms,
        },
        "fault_limit": setup.fault_limit,
        "commitment": transcript.commitment.hex(),
        "steps": [_step_to_json(setup.game, step) for step in transcript.steps],
        "faults": _faults(transcript.steps),
        "result": {
            "termination": result.termination.value,
            "placings": list(result.placing),
            "scores": None if result.scores is None else list(result.scores),
            "faults": list(result.faults),
            "forfeited": list(result.forfeited),
        },
        "opening": {
            "secret": transcript.opening.secret.hex(),
            "entropies": [entropy.hex() for entropy in transcript.opening.entropies],
        },
    }


def from_json(value: object) -> Transcript:
    """The transcript of a JSON object. Raises TranscriptError naming what is wrong."""
    try:
        document = _Document.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise TranscriptError(f"{where}: {first['msg']}") from error
    try:
        options = make_game(document.game, document.options).options
    except (UnknownGameError, OptionsError) as error:
        raise TranscriptError(str(error)) from error
    steps = tuple(
        _step_from_json(document.game, index, step)
        for index, step in enumerate(document.steps, start=1)
    )
    if [fault.model_dump() for fault in document.faults] != _faults(steps):
        raise TranscriptError("faults: the list does not agree with the steps")
    return Transcript(
        setup=Setup(
            match_id=document.match_id,
            game=document.game,
            options=options,
            entrants=tuple(Entrant(s.bot, s.version, s.owner) for s in document.seats),
            time_control=TimeControl(document.time_control.turn_ms, document.time_control.bank_ms),
            fault_limit=document.fault_limit,
        ),
        commitment=bytes.fromhex(document.commitment),
        steps=steps,
        result=Result(
            placing=tuple(document.result.placings),
            scores=None if document.result.scores is None else tuple(document.result.scores),
            termination=Termination(document.result.termination),
            faults=tuple(document.result.faults),
            forfeited=tuple(document.result.forfeited),
        ),
        opening=Opening(
            bytes.fromhex(document.opening.secret),
            tuple(bytes.fromhex(entropy) for entropy in document.opening.entropies),
        ),
        protocol_version=PROTOCOL_VERSION,
    )


def _step_to_json(game: str, step: Step) -> dict[str, Any]:
    action = GAMES[game].notation.to_json(step.action)
    if step.actor is DEALER:
        return {"actor": "dealer", "action": action}
    members: dict[str, Any] = {"actor": step.actor, "action": action, "ms": step.milliseconds}
    if step.fault is not None:
        members["fault"] = step.fault.value
    if step.stand_in:
        members["stand_in"] = True
    return members


def _step_from_json(game: str, index: int, step: _Step) -> Step:
    try:
        action = GAMES[game].notation.from_json(step.action)
    except NotationError as error:
        raise TranscriptError(f"step {index}: {error}") from error
    return Step(
        DEALER if step.actor == "dealer" else step.actor,
        action,
        step.ms,
        None if step.fault is None else FaultKind(step.fault),
        step.stand_in,
    )


def _faults(steps: tuple[Step, ...]) -> list[Mapping[str, Any]]:
    return [
        {"step": index, "seat": step.actor, "kind": step.fault.value}
        for index, step in enumerate(steps, start=1)
        if step.fault is not None
    ]
