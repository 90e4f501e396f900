"""The wire form of Blöff's events."""

from typing import Final

from arena.codec.malformed import MalformedError
from arena.games.bloeff.events import (
    Accepted,
    ActionPlayed,
    BloeffEvent,
    BloeffRoundStarted,
    CardsDrawn,
    Dealt,
    Doubted,
    DrawCause,
    Ending,
    MatchEnded,
    NumberPlayed,
    RedCarriedOut,
    RedPlayed,
    Reshuffled,
)
from arena.games.bloeff.kit.codec_cards import (
    card_number,
    direction_number,
    read_card,
    read_direction,
)
from arena.v1 import bloeff_pb2 as pb

_CAUSE_NUMBERS: Final = {
    DrawCause.MISSED_CALL: pb.BLOEFF_DRAW_CAUSE_MISSED_CALL,
    DrawCause.BUST: pb.BLOEFF_DRAW_CAUSE_BUST,
    DrawCause.DOUBT: pb.BLOEFF_DRAW_CAUSE_DOUBT,
    DrawCause.DRAW2: pb.BLOEFF_DRAW_CAUSE_DRAW2,
}
_CAUSES: Final = {number: cause for cause, number in _CAUSE_NUMBERS.items()}
_ENDING_NUMBERS: Final = {
    Ending.LAST_LIMIT: pb.BLOEFF_ENDING_LAST_LIMIT,
    Ending.EMPTY_HAND: pb.BLOEFF_ENDING_EMPTY_HAND,
    Ending.TURN_CAP: pb.BLOEFF_ENDING_TURN_CAP,
}
_ENDINGS: Final = {number: ending for ending, number in _ENDING_NUMBERS.items()}


def write_event(event: BloeffEvent, message: pb.BloeffEvent) -> None:
    """Write an event into the message."""
    match event:
        case NumberPlayed(seat, announce, called):
            number = message.number_played
            number.seat = seat
            number.announce = announce
            number.called = called
        case Accepted(seat, total):
            message.accepted.seat = seat
            message.accepted.total = total
        case RedPlayed(seat, card, target, called):
            red = message.red_played
            red.seat = seat
            red.card = card_number(card)
            red.target = target
            red.called = called
        case ActionPlayed(seat, card, direction, called):
            played = message.action_played
            played.seat = seat
            played.card = card_number(card)
            played.direction = direction_number(direction)
            played.called = called
        case RedCarriedOut(seat, card):
            message.red_carried_out.seat = seat
            message.red_carried_out.card = card_number(card)
        case CardsDrawn(seat, count, cause):
            drawn = message.cards_drawn
            drawn.seat = seat
            drawn.count = count
            drawn.cause = _CAUSE_NUMBERS[cause]
        case Doubted():
            _write_doubted(event, message.doubted)
        case BloeffRoundStarted(round_, limit, starter):
            started = message.round_started
            started.round = round_
            started.limit = limit
            started.starter = starter
        case Reshuffled(draw_pile):
            message.reshuffled.draw_pile = draw_pile
        case Dealt(hand_sizes, draw_pile):
            message.dealt.hand_sizes.extend(hand_sizes)
            message.dealt.draw_pile = draw_pile
        case MatchEnded(ending, points):
            message.match_ended.ending = _ENDING_NUMBERS[ending]
            message.match_ended.points.extend(points)


def read_event(message: pb.BloeffEvent) -> BloeffEvent:
    """Return the event of a message.

    Raises MalformedError.
    """
    match message.WhichOneof("event"):
        case "number_played":
            number = message.number_played
            return NumberPlayed(number.seat, number.announce, number.called)
        case "accepted":
            return Accepted(message.accepted.seat, message.accepted.total)
        case "red_played":
            red = message.red_played
            return RedPlayed(red.seat, read_card(red.card), red.target, red.called)
        case "action_played":
            played = message.action_played
            direction = read_direction(played.direction)
            return ActionPlayed(played.seat, read_card(played.card), direction, played.called)
        case "red_carried_out":
            carried_out = message.red_carried_out
            return RedCarriedOut(carried_out.seat, read_card(carried_out.card))
        case "cards_drawn":
            drawn = message.cards_drawn
            cause = _CAUSES.get(drawn.cause)
            if cause is None:
                raise MalformedError(f"{drawn.cause} is not a cause of drawing cards")
            return CardsDrawn(drawn.seat, drawn.count, cause)
        case "doubted":
            return _read_doubted(message.doubted)
        case "round_started":
            started = message.round_started
            return BloeffRoundStarted(started.round, started.limit, started.starter)
        case "reshuffled":
            return Reshuffled(message.reshuffled.draw_pile)
        case "dealt":
            return Dealt(tuple(message.dealt.hand_sizes), message.dealt.draw_pile)
        case "match_ended":
            ending = _ENDINGS.get(message.match_ended.ending)
            if ending is None:
                raise MalformedError(f"{message.match_ended.ending} is not an ending")
            return MatchEnded(ending, tuple(message.match_ended.points))
        case _:
            raise MalformedError("the event is empty")


def _write_doubted(event: Doubted, message: pb.BloeffDoubted) -> None:
    message.seat = event.seat
    message.doubter = event.doubter
    message.card = card_number(event.card)
    message.announced = event.announced
    message.honest = event.honest
    message.right = event.right
    message.doubts.extend(event.doubts)


def _read_doubted(message: pb.BloeffDoubted) -> Doubted:
    return Doubted(
        message.seat,
        message.doubter,
        read_card(message.card),
        message.announced,
        message.honest,
        message.right,
        tuple(message.doubts),
    )
