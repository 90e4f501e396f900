"""What a seat heard in one message, as moments to be shown one after the other.

A message brings the view as it is now, and the events since the last one. What was opened in
between (a showdown, a reveal, a doubt) gets a moment of its own, so that a person sees it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from arena.games.bloeff import Announcement, BloeffView, Doubted
from arena.games.bluff import BetPlaced, BluffView, Showdown
from arena.games.bluff_you import (
    Announced,
    BluffYouView,
    Gift,
    Revealed,
    Swapped,
    Taken,
    Win,
)
from arena.games.game import Options
from arena_dashboard.watching import Moment


@dataclass(frozen=True, slots=True)
class Shown:
    """A moment, with the moment of the claim that stands in it or ends with it."""

    moment: Moment
    before: Moment | None
    claim: Moment | None
    told: tuple[Any, ...]
    """The events that happened up to it."""


def shown(
    events: tuple[Any, ...], view: Any | None, before: Any | None, options: Options
) -> Iterator[Shown]:
    """The moments of a message with these events; `view` is the one that it brought, if any, and
    `before` the one known before."""
    current = before if before is not None else view
    if current is None:
        return
    told: list[Any] = []
    for event in events:
        told.append(event)
        current = _after(current, event, options)
        opened = _opened(event, current)
        if opened is not None:
            claim, ahead = opened
            yield Shown(_moment(current, event), _moment(ahead), claim, tuple(told))
            told.clear()
    if view is not None:
        yield Shown(_moment(view), None, _standing(view), tuple(told))
    elif told:
        yield Shown(_moment(current), None, None, tuple(told))


def _moment(view: Any, *events: Any) -> Moment:
    return Moment(0, (view,), events, None)


def _opened(event: Any, view: Any) -> tuple[Moment, Any] | None:
    """Of an event that opens something: the moment of its claim, and the view before it."""
    match event:
        case Showdown():
            return _moment(view, BetPlaced(event.bettor, event.bet)), view
        case Revealed():
            ahead = replace(view, dice=())
            return _moment(ahead, Announced(event.bluffer, event.announced)), ahead
        case Doubted():
            said = Announcement(event.seat, event.announced)
            down = view.face_down
            if view.seat == event.seat:
                down = (*down, event.card)
            ahead = replace(view, balloted=said, face_down=down)
            return _moment(ahead), ahead
        case _:
            return None


def _standing(view: Any) -> Moment | None:
    """The moment of the claim that stands in a view."""
    match view:
        case BluffView() if view.bets:
            return _moment(view, BetPlaced(*view.bets[-1]))
        case BluffYouView() if view.announced is not None:
            return _moment(view, Announced(view.bluffer, view.announced))
        case BloeffView() if view.balloted is not None:
            return _moment(view)
        case _:
            return None


def _after(view: Any, event: Any, options: Any) -> Any:
    """A view with what an event changed of dice and chips; nothing that was hidden is in it."""
    match event:
        case Showdown():
            left = tuple(
                count - loss for count, loss in zip(view.dice_counts, event.losses, strict=True)
            )
            lost = view.graveyard + sum(event.losses)
            return view._replace(dice_counts=left, graveyard=lost, hidden_dice=())
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


def _moved(
    view: BluffYouView, owner: int | None, taker: int | None, number: int, options: Any
) -> BluffYouView:
    """A chip goes from an owner to a taker; None is the centre."""
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
