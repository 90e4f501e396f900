"""The wire form of Blöff, as far as PlainCodec does not derive it; see also codec_options."""

from collections.abc import Sequence
from typing import Any, Final

from arena.codec.malformed import MalformedError
from arena.codec.plain_codec import Member, PlainCodec
from arena.games.bloeff.game import Bloeff
from arena.games.bloeff.kit.codec_cards import card_number, read_card
from arena.games.bloeff.kit.codec_options import OPTIONS
from arena.games.bloeff.values import Action, Ballot, BloeffAction, BloeffView, Cards, Number, Red
from arena.v1 import bloeff_pb2 as pb


class BloeffCodec(PlainCodec):
    """The codec of Blöff; its action messages name cards by their wire numbers."""

    def write_action(self, action: BloeffAction, message: pb.BloeffAction) -> None:
        """Write a seat's action into the message. Raises TypeError for a draw."""
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
        """Return the action of a message. Raises MalformedError."""
        match message.WhichOneof("action"):
            case "ballot":
                return Ballot(message.ballot.doubt)
            case "number":
                number = message.number
                # The rules refuse an action card laid face down, or a card not in the hand.
                return Number(int(read_card(number.card)), number.announce, number.call)
            case "red":
                red = message.red
                return Red(read_card(red.card), red.target, red.call)
            case "action_card":
                return Action(read_card(message.action_card.card), message.action_card.call)
            case _:
                raise MalformedError("the action is none of number, red, action_card and ballot")

    def read_view(self, message: pb.BloeffView, seat: int) -> BloeffView:
        """Return the view of a seat that is asked. Raises MalformedError."""
        on_turn = message.on_turn
        others = tuple([other for other in range(len(message.hand_sizes)) if other != on_turn])
        to_act = others if message.HasField("balloted") else (on_turn,)
        view: BloeffView = self._read_view(message, seat, to_act)
        return view

    def read_public_view(self, message: pb.BloeffView, to_act: Sequence[int]) -> BloeffView:
        """Return the spectator's view of a message. Raises MalformedError."""
        view: BloeffView = self._read_view(message, None, tuple(to_act))
        return view


def _waiting(waiting: tuple[Cards, ...]) -> list[dict[str, Any]] | None:
    if any(waiting):
        return [{"cards": list(map(card_number, cards))} for cards in waiting]
    return None  # the whole field is omitted


def _read_waiting(message: pb.BloeffView) -> tuple[Cards, ...]:
    waiting = tuple([tuple(map(read_card, cards.cards)) for cards in message.waiting])
    return waiting or ((),) * len(message.hand_sizes)


CODEC: Final = BloeffCodec(
    Bloeff, OPTIONS, view={"waiting": Member("waiting", _waiting, _read_waiting)}
)
