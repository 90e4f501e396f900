"""The wire form of Bluff: frequent messages joined from cached parts; the rest is derived."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Final, TypeAlias

from arena.codec.fields import field, key
from arena.codec.malformed import MalformedError
from arena.codec.plain_codec import PlainCodec, flag
from arena.games.bluff.game import Bluff
from arena.games.bluff.values import (
    Bet,
    BetPlaced,
    BluffAction,
    BluffEvent,
    BluffView,
    CupRoll,
    Dice,
    Doubt,
    Face,
    PlacedBet,
)
from arena.v1 import bluff_pb2 as pb

_FACES: Final = dict(enumerate(Face, start=1))
"""The faces by wire number."""

_DOUBT: Final = Doubt()

_MOST_DICE: Final = 16
"""The most dice a seat can have: the bound of `dice_per_player`."""

_ROLL: Final = key(pb.BluffDraw, "roll")

_DiceList: TypeAlias = Iterable[pb.BluffDice]


class BluffCodec(PlainCodec):
    """The codec of Bluff; frequent messages have hand-written code, for speed."""

    def read_action(self, message: pb.BluffAction) -> BluffAction:
        """Return the action of a message. Raises MalformedError."""
        kind = message.WhichOneof("action")
        if kind == "bet":
            bet = message.bet
            return _read_bet(bet) if bet.show else _plain_bet(bet.quantity, bet.face)
        if kind == "doubt":
            return _DOUBT
        raise MalformedError("the action is neither a bet nor a doubt")

    def draw_bytes(self, draw: BluffAction) -> bytes:
        """Return a draw as a serialized message. Raises TypeError for a seat's action."""
        if isinstance(draw, CupRoll):  # most draws are one
            return field(_ROLL, b"".join(map(_rolled_dice, draw.dice)))
        return super().draw_bytes(draw)

    def view_bytes(self, view: BluffView) -> bytes:
        """Return a view as a serialized message, joined from cached parts."""
        return b"".join(
            (
                _round_fields(
                    view.round, view.opener, view.hidden_dice, view.dice_counts, view.graveyard
                ),
                _face_up_fields(view.face_up) if any(view.face_up) else b"",
                *map(_bets_field, map(_PLACED, view.bets)),
                _choice_fields(view.lowest, view.highest, view.can_doubt),
            )
        )

    def read_view(self, message: pb.BluffView, seat: int) -> BluffView:
        """Return the view of a seat that is asked. Raises MalformedError."""
        seats = len(message.dice_counts)
        return BluffView(
            seat=seat,
            round=message.round,
            opener=message.opener,
            to_act=seat,
            hidden_dice=_read_faces(message.hidden_dice),
            face_up=_read_dice(message.face_up) or ((),) * seats,
            dice_counts=tuple(message.dice_counts),
            graveyard=message.graveyard,
            bets=tuple(PlacedBet(placed.seat, _read_bet(placed.bet)) for placed in message.bets),
            lowest=tuple(message.lowest),
            highest=message.highest,
            can_doubt=message.can_doubt,
        )

    def read_public_view(self, message: pb.BluffView, to_act: Sequence[int]) -> BluffView:
        """Return the spectator's view of a message. Raises MalformedError."""
        view = self.read_view(message, seat=0)
        return view._replace(seat=None, to_act=next(iter(to_act), None))

    def event_bytes(self, event: BluffEvent) -> bytes:
        """Return an event as a serialized message."""
        if isinstance(event, BetPlaced):
            return _bet_placed(_PLACED(event))
        return super().event_bytes(event)


def _write_bet(bet: Bet, message: pb.BluffBet) -> None:
    message.quantity = bet.quantity
    message.face = bet.face  # type: ignore[assignment]  # the numbers are the same by design
    if bet.show:
        message.show.extend(bet.show)  # type: ignore[arg-type]


def _read_bet(message: pb.BluffBet) -> Bet:
    if len(message.show) > _MOST_DICE:
        raise MalformedError(f"nobody has more than {_MOST_DICE} dice")
    if not message.show:
        return _plain_bet(message.quantity, message.face)
    # The dice are sorted, because the order in which they are laid out means nothing.
    return Bet(message.quantity, _face(message.face), _read_faces(sorted(message.show)))


# Few bets are legal at any table. One shared object per bet is faster to make and to compare.
@lru_cache(maxsize=1024)
def _plain_bet(quantity: int, face: int) -> Bet:
    return Bet(quantity, _face(face))


_Placed: TypeAlias = tuple[int, int, Face, Dice]
"""A seat and the members of its bet: unlike a Bet, it is hashed without running Python code."""
_PLACED: Final[Callable[[PlacedBet | BetPlaced], _Placed]] = attrgetter(
    "seat", "bet.quantity", "bet.face", "bet.show"
)


def _write_placed(placed: _Placed, message: pb.BluffPlacedBet) -> None:
    message.seat = placed[0]
    _write_bet(Bet(*placed[1:]), message.bet)


@lru_cache(maxsize=4096)
def _bet_placed(placed: _Placed) -> bytes:
    """Return the event of a bet as a serialized message."""
    message = pb.BluffEvent()
    _write_placed(placed, message.bet_placed)
    return message.SerializeToString()


@lru_cache(maxsize=4096)
def _rolled_dice(dice: Dice) -> bytes:
    """Return the serialized field of the dice of one seat in the roll of a round."""
    message = pb.BluffRoll()
    _write_dice((dice,), message.dice)
    return message.SerializeToString()


# A view is joined from parts that recur: a seat is asked about three times a round, and each view
# holds all bets of the round.


@lru_cache(maxsize=4096)
def _round_fields(
    number: int,
    opener: int | None,
    hidden_dice: Dice,
    dice_counts: tuple[int, ...],
    graveyard: int,
) -> bytes:
    """Return the serialized fields of a seat's view that stay the same during a round."""
    message = pb.BluffView(
        round=number,
        opener=opener,  # type: ignore[arg-type]  # None leaves it unset
        hidden_dice=hidden_dice,  # type: ignore[arg-type]
        dice_counts=dice_counts,
        graveyard=graveyard,
    )
    return message.SerializeToString()


def _face_up_fields(face_up: tuple[Dice, ...]) -> bytes:
    """Return the serialized field of the dice that were laid out."""
    message = pb.BluffView()
    _write_dice(face_up, message.face_up)
    return message.SerializeToString()


@lru_cache(maxsize=4096)
def _bets_field(placed: _Placed) -> bytes:
    """Return the serialized field of one of the round's bets."""
    message = pb.BluffView()
    _write_placed(placed, message.bets.add())
    return message.SerializeToString()


@lru_cache(maxsize=4096)
def _choice_fields(lowest: tuple[int, ...], highest: int, can_doubt: bool) -> bytes:
    """Return the serialized fields of the legal bets and of whether a doubt is legal."""
    message = pb.BluffView(lowest=lowest, highest=highest, can_doubt=can_doubt)
    return message.SerializeToString()


def _write_dice(dice: Sequence[Dice], messages: _DiceList) -> None:
    for faces in dice:
        messages.add().faces.extend(faces)  # type: ignore[attr-defined]


def _read_dice(messages: _DiceList) -> tuple[Dice, ...]:
    return tuple(_read_faces(dice.faces) for dice in messages)


def _read_faces(numbers: Iterable[int]) -> Dice:
    return tuple(map(_face, numbers))


def _face(number: int) -> Face:
    face = _FACES.get(number)
    if face is None:
        raise MalformedError(f"{number} is not a face; faces are 1 to 5 and 6 for the star")
    return face


CODEC: Final = BluffCodec(
    Bluff,
    options={
        "start_mode": flag("seat_zero_opens", yes="seat", no="roll"),
        "bet_cap": flag("table_cap", yes="table", no="dice_in_play"),
    },
)
