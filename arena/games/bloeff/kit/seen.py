"""The view of a person at the table of Blöff between turns."""

from dataclasses import replace
from typing import Any

from arena.games.bloeff.events import BloeffRoundStarted, Doubted, NumberPlayed
from arena.games.bloeff.options import BloeffOptions
from arena.games.bloeff.values import Action, Announcement, BloeffView, Card, Number, Red
from arena.showing.moments import Moment, moment_of


def opened(event: Any, view: BloeffView) -> tuple[Moment, BloeffView] | None:
    """Return the moment of a total that is doubted, or that exceeds the limit (BO-17)."""
    if isinstance(event, NumberPlayed) and event.announce > view.limit:
        return moment_of(view, event), view
    if not isinstance(event, Doubted):
        return None
    said = Announcement(event.seat, event.announced)
    down = view.face_down
    if view.seat == event.seat:
        down = (*down, event.card)
    ahead = replace(view, balloted=said, face_down=down)
    return moment_of(ahead), ahead


def standing(view: BloeffView) -> Moment | None:
    """Return the moment of the total that is balloted."""
    return moment_of(view) if view.balloted is not None else None


def after(view: BloeffView, event: Any, options: BloeffOptions) -> BloeffView:  # noqa: ARG001
    """Return the view with the limit of a round that starts; the limit decides what is a bust."""
    if not isinstance(event, BloeffRoundStarted):
        return view
    return replace(view, round=event.round, limit=event.limit, total=0)


def between(public: BloeffView, own: BloeffView, played: Any) -> BloeffView:
    """Return the public view, with the seat's own hand while the hand is certain."""
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
