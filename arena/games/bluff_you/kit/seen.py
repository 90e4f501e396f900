"""The view of a person at the table of Bluff You! between turns."""

from dataclasses import replace
from typing import Any

from arena.games.bluff_you.options import BluffYouOptions
from arena.games.bluff_you.values import (
    Announced,
    BluffYouPhase,
    BluffYouView,
    Gift,
    Revealed,
    Swapped,
    Taken,
    Win,
)
from arena.showing.moments import Moment, moment_of


def opened(event: Any, view: BluffYouView) -> tuple[Moment, BluffYouView] | None:
    """Return the moment of the announcement that a reveal ends."""
    if not isinstance(event, Revealed):
        return None
    ahead = replace(view, dice=())
    return moment_of(ahead, Announced(event.bluffer, event.announced)), ahead


def standing(view: BluffYouView) -> Moment | None:
    """Return the moment of this turn's announcement."""
    if view.announced is None:
        return None
    return moment_of(view, Announced(view.bluffer, view.announced))


def after(view: BluffYouView, event: Any, options: BluffYouOptions) -> BluffYouView:
    """Return the view with the chips that an event moved."""
    match event:
        case Revealed() if event.chip is not None:
            owner = None if isinstance(event.announced, Win) else event.announced.seer
            return _moved(view, owner, event.winner, event.chip, options)
        case Gift():
            return _moved(view, event.giver, event.receiver, event.number, options)
        case Taken():
            return _moved(view, event.owner, event.thief, event.number, options)
        case Swapped():
            for number in event.give:
                view = _moved(view, event.bluffer, None, number, options)
            return _moved(view, None, event.bluffer, event.take, options)
        case _:
            return view


def between(public: BluffYouView, own: BluffYouView, played: Any) -> BluffYouView:  # noqa: ARG001
    """Return the public view with the seat's own dice, while its announcement awaits an answer."""
    hidden = public.turn == own.turn and public.phase is BluffYouPhase.ANSWER
    dice = own.dice if hidden else ()
    return replace(public, seat=own.seat, dice=public.dice or dice)


def _moved(
    view: BluffYouView, owner: int | None, taker: int | None, number: int, options: BluffYouOptions
) -> BluffYouView:
    """Return the view after a chip moved from an owner to a taker; None is the centre."""
    chips = [set(own) for own in view.chips]
    centre = set(view.centre)
    (centre if owner is None else chips[owner]).discard(number)
    (centre if taker is None else chips[taker]).add(number)
    worth = options.chip_points
    lowest = 3
    return replace(
        view,
        centre=tuple(sorted(centre)),
        chips=tuple(tuple(sorted(own)) for own in chips),
        points=tuple(sum(worth[one - lowest] for one in own) for own in chips),
    )
