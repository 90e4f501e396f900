"""Offers, turns, refusals and answers: the messages of a running match."""

from typing import Any

from arena.codec.game_codec import CODECS
from arena.codec.malformed import MalformedError
from arena.codec.transcript import FAULT_KINDS, write_entrant, write_options, write_time_control
from arena.match.flow import Refused, Turn
from arena.match.transcript import Setup
from arena.v1 import game_pb2, referee_pb2


def offer(setup: Setup, seat: int, commitment: bytes, join_ms: int) -> referee_pb2.Offer:
    """The offer of a seat."""
    message = referee_pb2.Offer(
        match_id=setup.match_id,
        seat=seat,
        commitment=commitment,
        join_ms=join_ms,
        fault_limit=setup.fault_limit,
    )
    write_options(setup, message.options)
    write_time_control(setup.time_control, message.time_control)
    for entrant in setup.entrants:
        write_entrant(entrant, message.entrants.add())
    return message


def event(game: str, value: Any) -> game_pb2.Event:
    """One public event."""
    message = game_pb2.Event()
    CODECS[game].write_event(value, getattr(message, game))
    return message


def write_turn(
    message: referee_pb2.Turn,
    setup: Setup,
    value: Turn,
    events: list[game_pb2.Event],
    bank_ms: int,
) -> None:
    """Fill in a question to a seat. `events` are those it has not seen.

    Written in place, because this is what the referee does most.
    """
    message.match_id = setup.match_id
    message.turn_number = value.number
    message.turn_ms = setup.time_control.turn_ms
    message.bank_ms = bank_ms
    CODECS[setup.game].write_view(value.view, getattr(message.view, setup.game))
    message.events.extend(events)


def refusal(setup: Setup, value: Refused, faults: int) -> referee_pb2.Refusal:
    """The news of a fault."""
    message = referee_pb2.Refusal(
        match_id=setup.match_id,
        turn_number=value.turn_number,
        kind=FAULT_KINDS[value.kind],
        reason=value.reason,
        legal=value.legal,
        faults=faults,
    )
    CODECS[setup.game].write_action(value.played, getattr(message.played, setup.game))
    return message


def action(game: str, message: game_pb2.Action) -> Any:
    """The action of an answer. Raises MalformedError."""
    if message.WhichOneof("game") != game:
        raise MalformedError(f"the answer holds no action of {game}: set Action.{game}")
    return CODECS[game].read_action(getattr(message, game))
