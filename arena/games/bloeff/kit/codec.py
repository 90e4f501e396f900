"""The wire form of Blöff's actions, draws and views; events are derived.

Options have a module of their own.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from arena.codec.malformed import MalformedError
from arena.codec.plain_codec import PlainCodec
from arena.codec.wire_numbers import read_seat
from arena.games.bloeff.game import Bloeff
from arena.games.bloeff.kit.codec_cards import (
    DIRECTION_NUMBERS,
    card_number,
    card_numbers,
    read_card,
    read_cards,
    read_direction,
)
from arena.games.bloeff.kit.codec_options import OPTIONS
from arena.games.bloeff.values import (
    Action,
    Announcement,
    Ballot,
    BloeffAction,
    BloeffView,
    Deal,
    Doubter,
    Number,
    Red,
    Reshuffle,
)
from arena.v1 import bloeff_pb2 as pb


class BloeffCodec(PlainCodec):
    """The codec of Blöff; actions and draws share a type in the rules, not on the wire."""

    def write_action(self, action: BloeffAction, message: pb.BloeffAction) -> None:
        """Write a seat's action into the message.

        Raises TypeError for a draw.
        """
        if isinstance(action, Ballot):
            message.ballot.doubt = action.doubt
        elif isinstance(action, Number):
            number = message.number
            number.card = card_number(action.value)
            number.announce = action.announce
            number.call = action.call
        elif isinstance(action, Red):
            red = message.red
            red.card = card_number(action.card)
            red.target = action.target
            red.call = action.call
        elif isinstance(action, Action):
            message.action_card.card = card_number(action.card)
            message.action_card.call = action.call
        else:
            raise TypeError(f"{action!r} is not an action of a seat")

    def read_action(self, message: pb.BloeffAction) -> BloeffAction:
        """Return the action of a message.

        Raises MalformedError.
        """
        match message.WhichOneof("action"):
            case "ballot":
                return Ballot(message.ballot.doubt)
            case "number":
                number = message.number
                # The rules refuse an action card laid face down, or a card not in the hand.
                return Number(int(read_card(number.card)), number.announce, number.call)
            case "red":
                red = message.red
                return Red(read_card(red.card), read_seat(red.target), red.call)
            case "action_card":
                return Action(read_card(message.action_card.card), message.action_card.call)
            case _:
                raise MalformedError("the action is none of number, red, action_card and ballot")

    def draw_bytes(self, draw: BloeffAction) -> bytes:
        """Return a draw as a serialized message.

        Raises TypeError for a seat's action.
        """
        message = pb.BloeffDraw()
        match draw:
            case Deal(cards):
                message.deal.cards.extend(card_numbers(cards))
            case Reshuffle(cards):
                message.reshuffle.cards.extend(card_numbers(cards))
            case Doubter(seat):
                message.doubter.seat = seat
            case _:
                raise TypeError(f"{draw!r} is not a draw")
        return message.SerializeToString()

    def read_draw(self, message: pb.BloeffDraw) -> BloeffAction:
        """Return the draw of a message.

        Raises MalformedError.
        """
        match message.WhichOneof("draw"):
            case "deal":
                return Deal(read_cards(message.deal.cards))
            case "reshuffle":
                return Reshuffle(read_cards(message.reshuffle.cards))
            case "doubter":
                return Doubter(read_seat(message.doubter.seat))
            case _:
                raise MalformedError("the draw is empty")

    def view_bytes(self, view: BloeffView) -> bytes:
        """Return a view as a serialized message."""
        message = pb.BloeffView()
        message.round = view.round
        message.turn = view.turn
        message.limit = view.limit
        message.total = view.total
        message.direction = DIRECTION_NUMBERS[view.direction]
        if view.on_turn is not None:
            message.on_turn = view.on_turn
        message.hand.extend(card_numbers(view.hand))
        message.hand_sizes.extend(view.hand_sizes)
        message.draw_pile = view.draw_pile
        message.centre_pile = view.centre_pile
        if any(view.waiting):
            add = message.waiting.add
            for waiting in view.waiting:
                add().cards.extend(card_numbers(waiting))
        for announcement in view.announcements:
            _write_announcement(announcement, message.announcements.add())
        if view.balloted is not None:
            _write_announcement(view.balloted, message.balloted)
        message.seen.extend(card_numbers(view.seen))
        message.face_down.extend(card_numbers(view.face_down))
        message.lowest = view.lowest
        message.highest = view.highest
        message.call_due = view.call_due
        return message.SerializeToString()

    def read_view(self, message: pb.BloeffView, seat: int) -> BloeffView:
        """Return the view of a seat that is asked.

        Raises MalformedError.
        """
        seats, on_turn = len(message.hand_sizes), message.on_turn
        balloted = _read_announcement(message.balloted) if message.HasField("balloted") else None
        balloting = tuple([other for other in range(seats) if other != on_turn])
        waiting = tuple([read_cards(cards.cards) for cards in message.waiting])
        return BloeffView(
            seat=seat,
            round=message.round,
            turn=message.turn,
            limit=message.limit,
            total=message.total,
            direction=read_direction(message.direction),
            on_turn=on_turn,
            to_act=(on_turn,) if balloted is None else balloting,
            hand=read_cards(message.hand),
            hand_sizes=tuple(message.hand_sizes),
            draw_pile=message.draw_pile,
            centre_pile=message.centre_pile,
            waiting=waiting or ((),) * seats,
            announcements=tuple(map(_read_announcement, message.announcements)),
            balloted=balloted,
            seen=read_cards(message.seen),
            face_down=read_cards(message.face_down),
            lowest=message.lowest,
            highest=message.highest,
            call_due=message.call_due,
        )

    def read_public_view(self, message: pb.BloeffView, to_act: Sequence[int]) -> BloeffView:
        """Return the spectator's view of a message.

        Raises MalformedError.
        """
        return replace(self.read_view(message, seat=0), seat=None, to_act=tuple(to_act))


def _write_announcement(announcement: Announcement, message: pb.BloeffAnnouncement) -> None:
    message.seat = announcement.seat
    message.total = announcement.total


def _read_announcement(message: pb.BloeffAnnouncement) -> Announcement:
    return Announcement(message.seat, message.total)


CODEC: Final = BloeffCodec(Bloeff, OPTIONS)
