"""The JSON form of a transcript, `arena-transcript/1`, described in docs/transcript.md.

It is for independent programs and human readers: plain numbers, names and hexadecimal strings.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from arena.games import GAMES
from arena.games.game import DEALER, Options
from arena.games.notation import NotationError
from arena.match.clock import TimeControl
from arena.match.faults import FaultKind
from arena.match.json_text import JsonTextError, difference, parse
from arena.match.replay import TranscriptError
from arena.match.result import Result, Termination
from arena.match.transcript import (
    PROTOCOL_VERSION,
    Entrant,
    Opening,
    Setup,
    Signature,
    Step,
    Transcript,
)
from arena.match.transcript_document import StepDocument, TranscriptDocument, with_one_unknown
from arena.validation_errors import error_text, json_excerpt, path_text

FORMAT = "arena-transcript/1"


def to_json(transcript: Transcript) -> dict[str, Any]:
    """Return the JSON object of a transcript."""
    setup, signature = transcript.setup, transcript.signature
    document: dict[str, Any] = {
        "format": FORMAT,
        "protocol_version": transcript.protocol_version,
        "match_id": setup.match_id,
        **({"deal_id": setup.deal_id} if setup.deal_id else {}),
        **terms_to_json(setup),
        "commitment": transcript.commitment.hex(),
        "steps": [_step_to_json(setup.game, step) for step in transcript.steps],
        "faults": _faults(transcript.steps),
        "result": result_to_json(transcript.result),
        "opening": {
            "secret": transcript.opening.secret.hex(),
            "entropies": [entropy.hex() for entropy in transcript.opening.entropies],
        },
    }
    if signature is not None:
        document["signature"] = {"key": signature.key.hex(), "value": signature.value.hex()}
    return document


def terms_to_json(setup: Setup) -> dict[str, Any]:
    """Return the members from `game` to `fault_limit`, known before a match is played."""
    return {
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
    }


def result_to_json(result: Result) -> dict[str, Any]:
    """Return the JSON object of the member `result`."""
    return {
        "termination": result.termination.value,
        "placings": list(result.placing),
        "scores": None if result.scores is None else list(result.scores),
        "faults": list(result.faults),
        "forfeited": list(result.forfeited),
    }


def read_json(text: bytes) -> Transcript:
    """Return the transcript in a JSON text. Raises TranscriptError naming what is wrong."""
    try:
        value = parse(text)
    except JsonTextError as error:
        raise TranscriptError(str(error)) from error
    return from_json(value)


def from_json(value: object) -> Transcript:
    """Return the transcript of a JSON object.

    Raises TranscriptError naming what is wrong.

    It is strict: it accepts exactly what `to_json` returns, with members in any order.
    """
    try:
        document = TranscriptDocument.model_validate(value)
    except ValidationError as error:
        raise TranscriptError(error_text(error, whole="the transcript")) from error
    options = _options(document.game, document.options)
    steps = tuple(
        _step_from_json(document.game, index, step) for index, step in enumerate(document.steps)
    )
    if [fault.model_dump() for fault in document.faults] != _faults(steps):
        raise TranscriptError("faults: the list does not agree with the steps")
    transcript = _transcript(document, options, steps)
    # The models also accept other spellings of defaults, such as show [] or "dice_per_player" left
    # out. Each transcript must have exactly one form, so that it has one signature.
    other = difference(value, to_json(transcript))
    if other is not None:
        raise TranscriptError(_other_form(*other))
    return transcript


def _other_form(path: tuple[int | str, ...], found: Any, wanted: Any) -> str:
    where = path_text(path)
    if found is None:
        return f"{where} is missing"
    if wanted is None:
        return f"{where}: found {json_excerpt(found[0])}; here this member is left out"
    return f"{where}: found {json_excerpt(found[0])}; allowed is {json_excerpt(wanted[0])}"


def _options(game: str, given: Mapping[str, Any]) -> Options:
    try:
        # As JSON, because only there strict validation accepts lists for tuples.
        model = GAMES[game].options_type
        return model.model_validate_json(json.dumps(with_one_unknown(model, given)), strict=True)
    except ValidationError as error:
        raise TranscriptError(error_text(error, ("options",))) from error


def _transcript(
    document: TranscriptDocument, options: Options, steps: tuple[Step, ...]
) -> Transcript:
    signature = document.signature
    return Transcript(
        setup=Setup(
            match_id=document.match_id,
            game=document.game,
            options=options,
            entrants=tuple(Entrant(s.bot, s.version, s.owner) for s in document.seats),
            time_control=TimeControl(document.time_control.turn_ms, document.time_control.bank_ms),
            fault_limit=document.fault_limit,
            deal_id=document.deal_id or "",
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
        signature=None
        if signature is None
        else Signature(bytes.fromhex(signature.key), bytes.fromhex(signature.value)),
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


def _step_from_json(game: str, index: int, step: StepDocument) -> Step:
    try:
        action = GAMES[game].notation.from_json(step.action, ("steps", index, "action"))
    except NotationError as error:
        raise TranscriptError(str(error)) from error
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
