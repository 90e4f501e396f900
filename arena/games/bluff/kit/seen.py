"""The view of a person at the table of Bluff between turns."""

from typing import Any

from arena.games.bluff.options import BluffOptions
from arena.games.bluff.values import BetPlaced, BluffView, Showdown
from arena.showing.moments import Moment, moment_of


def opened(event: Any, view: BluffView) -> tuple[Moment, BluffView] | None:
    """Return the moment of the bet that a showdown ends."""
    if not isinstance(event, Showdown):
        return None
    return moment_of(view, BetPlaced(event.bettor, event.bet)), view


def standing(view: BluffView) -> Moment | None:
    """Return the moment of the last bet."""
    return moment_of(view, BetPlaced(*view.bets[-1])) if view.bets else None


def after(view: BluffView, event: Any, options: BluffOptions) -> BluffView:  # noqa: ARG001
    """Return the view without the dice lost in a showdown."""
    if not isinstance(event, Showdown):
        return view
    left = tuple(count - loss for count, loss in zip(view.dice_counts, event.losses, strict=True))
    lost = view.graveyard + sum(event.losses)
    return view._replace(dice_counts=left, graveyard=lost, hidden_dice=())


def between(public: BluffView, own: BluffView, played: Any) -> BluffView:  # noqa: ARG001
    """Return the public view with the seat's own dice, unless they were re-rolled."""
    seat = own.seat
    assert seat is not None
    same = (
        public.round == own.round
        and public.dice_counts[seat] == own.dice_counts[seat]
        and public.face_up[seat] == own.face_up[seat]  # otherwise the rest was re-rolled
    )
    return public._replace(seat=seat, hidden_dice=own.hidden_dice) if same else public
