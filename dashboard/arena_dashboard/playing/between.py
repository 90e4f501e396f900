"""What a seat knows between its turns: what everybody sees, and its own hand if that is certain.

Its dice and cards are those of its last turn; where the public view says that they have changed
since, they are left out.
"""

from dataclasses import replace
from typing import Any

from arena.games.bloeff import Action, BloeffView, Card, Number, Red
from arena.games.bluff import BluffView
from arena.games.bluff_you import BluffYouPhase, BluffYouView


def between(public: Any, own: Any | None, played: Any) -> Any:
    """The spectator's view `public` for the seat whose last view was `own`, and which answered it
    with `played`, None if that is not known."""
    match own:
        case BluffView():
            return _bluff(public, own)
        case BluffYouView():
            hidden = public.turn == own.turn and public.phase is BluffYouPhase.ANSWER
            dice = own.dice if hidden else ()
            return replace(public, seat=own.seat, dice=public.dice or dice)
        case BloeffView():
            return _bloeff(public, own, played)
        case _:
            return public


def _bluff(public: BluffView, own: BluffView) -> BluffView:
    seat = own.seat
    assert seat is not None
    same = (
        public.round == own.round
        and public.dice_counts[seat] == own.dice_counts[seat]
        and public.face_up[seat] == own.face_up[seat]  # else the rest was rolled again
    )
    return public._replace(seat=seat, hidden_dice=own.hidden_dice) if same else public


def _bloeff(public: BloeffView, own: BloeffView, played: Any) -> BloeffView:
    assert own.seat is not None
    hand, down = list(own.hand), own.face_down
    card = _card(played)
    if card is not None and card in hand:
        hand.remove(card)
        if isinstance(played, Number):
            down = (*down, card)
    same = public.round == own.round and public.hand_sizes[own.seat] == len(hand)
    return replace(public, seat=own.seat, hand=tuple(hand), face_down=down) if same else public


def _card(played: Any) -> Card | None:
    match played:
        case Number(value):
            return Card(value)
        case Red(card) | Action(card):
            return card
        case _:
            return None
