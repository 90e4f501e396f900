"""The view of a person at the table of Skull between turns."""

from dataclasses import replace
from typing import Any

from arena.games.skull.options import SkullOptions
from arena.games.skull.playing import changed
from arena.games.skull.values import (
    NO_DISCS,
    BidMade,
    ChallengeBegun,
    Disc,
    DiscAdded,
    DiscLost,
    DiscTurned,
    OpenerDrawn,
    Place,
    PointWon,
    SeatPassed,
    SkullPhase,
    SkullRoundStarted,
    SkullView,
)
from arena.showing.moments import Moment, moment_of


def opened(event: Any, view: SkullView) -> tuple[Moment, SkullView] | None:
    """Return the moment of the bid that the event decides, by a skull or a point."""
    skull = isinstance(event, DiscTurned) and event.disc is Disc.SKULL
    bid = standing(view) if skull or isinstance(event, PointWon) else None
    return None if bid is None else (bid, view)


def standing(view: SkullView) -> Moment | None:
    """Return the moment of the standing bid."""
    return None if view.bidder is None else moment_of(view, BidMade(view.bidder, view.bid))


def after(view: SkullView, event: Any, options: SkullOptions) -> SkullView:  # noqa: ARG001
    """Return the view with the changes of an event; turned discs stay until the next round."""
    view = replace(view, to_act=())
    match event:
        case OpenerDrawn(seat):
            return replace(view, opener=seat)
        case SkullRoundStarted(number, opener):
            return _round(view, number, opener)
        case DiscAdded(seat, mat):
            return replace(view, mats=changed(view.mats, seat, mat))
        case BidMade(seat, count):
            return replace(view, bid=count, bidder=seat)
        case SeatPassed(seat):
            return replace(view, passed=changed(view.passed, seat, True))
        case ChallengeBegun():
            return replace(view, phase=SkullPhase.CHALLENGE)
        case DiscTurned(owner, disc):
            return replace(view, turned=changed(view.turned, owner, (*view.turned[owner], disc)))
        case PointWon(seat, points):
            return replace(view, points=changed(view.points, seat, points))
        case DiscLost(seat, left):
            return replace(view, discs=changed(view.discs, seat, left))
        case _:
            return view


def _round(view: SkullView, number: int, opener: int) -> SkullView:
    """Return the view once all seats have laid their first discs."""
    begun = replace(
        view,
        phase=SkullPhase.TURN,
        round=number,
        opener=opener,
        mats=tuple([int(owned > 0) for owned in view.discs]),
        turned=((),) * len(view.discs),
        bid=0,
        bidder=None,
        passed=(False,) * len(view.discs),
    )
    # The seat's own disc of this round is known once the next view arrives.
    return begun if number == view.round else replace(begun, hand=NO_DISCS, own_mat=())


def between(public: SkullView, own: SkullView, played: Any) -> SkullView:
    """Return the public view, with the seat's own discs while these are certain."""
    seat, hand, mat = own.seat, own.hand, own.own_mat
    assert seat is not None
    if isinstance(played, Place):
        hand, mat = hand.without(played.disc), (*mat, played.disc)
    same = (
        public.round == own.round
        and public.discs[seat] == own.discs[seat]
        and public.mats[seat] == len(mat)
    )
    return replace(public, seat=seat, hand=hand, own_mat=mat) if same else public
