"""Offers, turns, refusals and answers: the messages of a running match."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from arena.codec.game_codec import CODECS
from arena.codec.malformed import MalformedError
from arena.codec.transcript import FAULT_KINDS, write_entrant, write_options, write_time_control
from arena.match.flow import Refused, Turn
from arena.match.transcript import Setup
from arena.v1 import game_pb2, referee_pb2


def write_offer(
    message: referee_pb2.Offer, setup: Setup, seat: int, commitment: bytes, join_ms: int
) -> None:
    """Fill in the offer of a seat."""
    message.match_id = setup.match_id
    message.seat = seat
    message.commitment = commitment
    message.join_ms = join_ms
    message.fault_limit = setup.fault_limit
    write_options(setup, message.options)
    write_time_control(setup.time_control, message.time_control)
    for entrant in setup.entrants:
        write_entrant(entrant, message.entrants.add())


def write_events(
    message: referee_pb2.Turn | referee_pb2.End, game: str, events: Sequence[Any], start: int
) -> None:
    """Add the events from `start` on."""
    message.MergeFromString(b"".join([_event_field(game, event) for event in events[start:]]))


# Every event is told to every seat, and the same bets are placed in match after match: reading
# bytes that are there costs a quarter of making the messages again. Typed, because events of
# different kinds may hold equal values.
@lru_cache(maxsize=4096, typed=True)
def _event_field(game: str, event: Any) -> bytes:
    """An event as it stands on the wire in the field `events` of a Turn or an End."""
    message = referee_pb2.Turn()
    CODECS[game].write_event(event, getattr(message.events.add(), game))
    return message.SerializeToString()


def write_turn(
    message: referee_pb2.Turn, setup: Setup, turn: Turn, turn_ms: int, bank_ms: int
) -> None:
    """Fill in a question to a seat, in place: this is what the referee does most."""
    game = setup.game
    codec = CODECS[game]
    message.match_id = setup.match_id
    message.turn_number = turn.number
    message.turn_ms = turn_ms
    message.bank_ms = bank_ms
    codec.write_view(turn.view, getattr(message.view, game))
    write_events(message, game, turn.events, turn.unseen)


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
