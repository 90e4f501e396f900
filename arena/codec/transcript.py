"""Transcripts as messages and as bytes; the wire and storage use the same format."""

from functools import lru_cache
from typing import Any

from arena.codec.encoded import DRAWS
from arena.codec.fields import field, key
from arena.codec.game_codec import CODECS
from arena.codec.malformed import MalformedError
from arena.codec.wire_numbers import enum_numbers, enum_values
from arena.games.game import DEALER, Options
from arena.match.clock import TimeControl
from arena.match.faults import FaultKind
from arena.match.result import Result, Termination
from arena.match.transcript import Entrant, Opening, Setup, Signature, Step, Transcript
from arena.v1 import game_pb2, transcript_pb2

FAULT_KINDS = enum_numbers(FaultKind, transcript_pb2.FaultKind.DESCRIPTOR)
FAULTS = enum_values(FaultKind, transcript_pb2.FaultKind.DESCRIPTOR)
_TERMINATIONS = enum_numbers(Termination, transcript_pb2.Termination.DESCRIPTOR)
_ENDS = enum_values(Termination, transcript_pb2.Termination.DESCRIPTOR)
_STEPS = key(transcript_pb2.Transcript, "steps")
_STEP_DRAW = key(transcript_pb2.Step, "draw")


def to_bytes(transcript: Transcript) -> bytes:
    """Return the serialised message of a transcript; equal transcripts give equal bytes."""
    setup, result, signature = transcript.setup, transcript.result, transcript.signature
    # In Protobuf's order, by field number: the fields before `steps`, the steps, the rest.
    before = transcript_pb2.Transcript(
        protocol_version=transcript.protocol_version, commitment=transcript.commitment
    )
    write_setup(setup, before.setup)
    after = transcript_pb2.Transcript(
        secret=transcript.opening.secret, entropies=transcript.opening.entropies
    )
    write_result(result, after.result)
    if signature is not None:
        after.signature.key, after.signature.value = signature.key, signature.value
    game = setup.game
    steps = [
        _draw_step(game, step.action) if step.actor is DEALER else seat_step(game, *step)
        for step in transcript.steps
    ]
    head, rest = (part.SerializeToString(deterministic=True) for part in (before, after))
    return b"".join((head, *steps, rest))


def from_bytes(data: bytes) -> Transcript:
    """Return the transcript of bytes from `to_bytes`.

    Raises MalformedError or protobuf's DecodeError.
    """
    return from_message(transcript_pb2.Transcript.FromString(data))


def to_message(transcript: Transcript) -> transcript_pb2.Transcript:
    """Return the message of a transcript."""
    return transcript_pb2.Transcript.FromString(to_bytes(transcript))


def _draw_step(game: str, draw: Any) -> bytes:
    """Return a step of the dealer as it is encoded in the bytes of a transcript."""
    return field(DRAWS[game], CODECS[game].draw_bytes(draw), _STEP_DRAW, _STEPS)


# The same actions occur in many matches, usually with the same few milliseconds of time used.
@lru_cache(maxsize=4096)
def seat_step(
    game: str,
    seat: int,
    action: Any,
    milliseconds: int,
    fault: FaultKind | None,
    stand_in: bool,
) -> bytes:
    """Return the step of a seat, by its members, as it is encoded in the bytes of a transcript."""
    message = transcript_pb2.Transcript()
    target = message.steps.add(seat=seat, milliseconds=milliseconds)
    CODECS[game].write_action(action, getattr(target.action, game))
    if fault is not None:
        target.fault = FAULT_KINDS[fault]
    if stand_in:
        target.stand_in = True
    return message.SerializeToString()


def from_message(message: transcript_pb2.Transcript) -> Transcript:
    """Return the transcript of a message.

    Raises MalformedError if the message is incomplete or invalid.
    """
    setup = read_setup(message.setup)
    return Transcript(
        setup=setup,
        commitment=message.commitment,
        steps=tuple(_read_step(setup.game, step) for step in message.steps),
        result=read_result(message.result),
        opening=Opening(message.secret, tuple(message.entropies)),
        protocol_version=message.protocol_version,
        signature=Signature(message.signature.key, message.signature.value)
        if message.HasField("signature")
        else None,
    )


def _read_step(game: str, step: transcript_pb2.Step) -> Step:
    codec = CODECS[game]
    match step.WhichOneof("act"):
        case "draw":
            return Step(DEALER, codec.read_draw(getattr(step.draw, game)))
        case "action":
            return Step(
                step.seat,
                codec.read_action(getattr(step.action, game)),
                step.milliseconds,
                FAULTS.get(step.fault),
                step.stand_in,
            )
        case _:
            raise MalformedError("a step is neither a draw nor an action")


def write_setup(setup: Setup, message: transcript_pb2.Setup) -> None:
    """Write the terms settled before the first draw."""
    message.match_id = setup.match_id
    message.fault_limit = setup.fault_limit
    message.deal_id = setup.deal_id
    write_options(setup, message.options)
    write_time_control(setup.time_control, message.time_control)
    for entrant in setup.entrants:
        write_entrant(entrant, message.entrants.add())


def read_setup(message: transcript_pb2.Setup) -> Setup:
    """Return the terms settled before the first draw.

    Raises MalformedError if they are incomplete or invalid.
    """
    game, options = read_options(message.options, "transcript")
    return Setup(
        match_id=message.match_id,
        game=game,
        options=options,
        entrants=tuple(read_entrant(entrant) for entrant in message.entrants),
        time_control=time_control_of(message.time_control),
        fault_limit=message.fault_limit,
        deal_id=message.deal_id,
    )


def write_result(result: Result, message: transcript_pb2.Result) -> None:
    """Write the result of a match into the message."""
    message.placing.extend(result.placing)
    message.scores.extend(result.scores or ())
    message.termination = _TERMINATIONS[result.termination]
    message.faults.extend(result.faults)
    message.forfeited.extend(result.forfeited)


def read_result(message: transcript_pb2.Result) -> Result:
    """Return the result of a match. Raises MalformedError if there is no termination."""
    termination = _ENDS.get(message.termination)
    if termination is None:
        raise MalformedError("the transcript has no termination")
    return Result(
        placing=tuple(message.placing),
        scores=tuple(message.scores) or None,
        termination=termination,
        faults=tuple(message.faults),
        forfeited=tuple(message.forfeited),
    )


def write_options(setup: Setup, message: game_pb2.Options) -> None:
    """Write the game and its options into the message."""
    member = getattr(message, setup.game)
    CODECS[setup.game].write_options(setup.options, member)
    member.SetInParent()


def read_options(message: game_pb2.Options, where: str) -> tuple[str, Options]:
    """Return the game and its options.

    Raises MalformedError, also for a game that this version does not have; `where` says what the
    options are part of.
    """
    game = message.WhichOneof("game")
    if game is None:
        raise MalformedError(f"the {where} names no game that this version knows")
    return game, CODECS[game].read_options(getattr(message, game))


def write_time_control(control: TimeControl, message: transcript_pb2.TimeControl) -> None:
    """Write the time control into the message."""
    message.turn_ms = control.turn_ms
    message.bank_ms = control.bank_ms


def time_control_of(message: transcript_pb2.TimeControl) -> TimeControl:
    """Return the time control."""
    return TimeControl(message.turn_ms, message.bank_ms)


def write_entrant(entrant: Entrant, message: transcript_pb2.Entrant) -> None:
    """Write the entrant of a seat into the message."""
    message.bot = entrant.bot
    message.version = entrant.version
    message.owner = entrant.owner


def read_entrant(message: transcript_pb2.Entrant) -> Entrant:
    """Return the entrant of a seat."""
    return Entrant(message.bot, message.version, message.owner)
