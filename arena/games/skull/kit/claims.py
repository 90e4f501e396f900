"""Skull's claims: a bid is false if its seat must meet a skull to reach it (SK-6, SK-9)."""

from fractions import Fraction
from typing import Any, Final

from arena.games.claims import ClaimSituation, standing
from arena.games.skull.chances import bid_chance, flowers_on_top, standing_chance
from arena.games.skull.options import SkullOptions
from arena.games.skull.state import SkullState
from arena.games.skull.values import Bid, SkullPhase, SkullView

UNIT: Final = ("disc short", "discs short")
"""The unit of a false claim, singular and plural."""
_BIDDING: Final = (SkullPhase.TURN, SkullPhase.RAISE)
_ROUND: Final = {
    SkullPhase.TURN: ClaimSituation("round", 0, "no bid stands"),
    SkullPhase.RAISE: ClaimSituation("round", 1, "a bid stands"),
}
_SIZES: Final = (
    (4, ClaimSituation("size", 0, "up to 4 discs on the mats")),
    (8, ClaimSituation("size", 1, "5 to 8 discs on the mats")),
    (99, ClaimSituation("size", 2, "more than 8 discs on the mats")),
)


def off(action: Any, before: SkullState, after: SkullState, options: SkullOptions) -> int | None:  # noqa: ARG001
    """Return by how many discs a bid exceeds what its seat can turn over; None without a bid."""
    if not isinstance(action, Bid):
        return None
    seat = before.on_turn
    own = flowers_on_top(before.mats[seat])
    if own == len(before.mats[seat]):
        own = sum(map(flowers_on_top, before.mats))
    return max(0, action.count - own)


def doubts(action: Any) -> bool:  # noqa: ARG001
    """Return False: a seat raises a bid or lets it stand."""
    return False


def called(action: Any, before: SkullState, after: SkullState) -> bool:  # noqa: ARG001
    """Return whether an action ends the bidding, so that the last bid is put to the test (SK-8)."""
    return before.phase in _BIDDING and after.phase not in _BIDDING


def chance(view: SkullView, options: SkullOptions) -> Fraction | None:
    """Return the probability that the standing bid is true."""
    return standing_chance(view, options.flowers)


def own_chance(action: Any, view: SkullView, options: SkullOptions) -> Fraction | None:
    """Return the probability that a bid is true, given its seat's view."""
    if not isinstance(action, Bid):
        return None
    assert view.seat is not None  # a bid is a seat's
    return bid_chance(view, view.seat, action.count, options.flowers)


def likeliest(view: SkullView, options: SkullOptions) -> Fraction | None:
    """Return the probability that the lowest legal bid is true; None if no bid is legal."""
    lowest = view.bid + 1
    if view.phase not in _BIDDING or lowest > sum(view.mats):
        return None
    return own_chance(Bid(lowest), view, options)


def may_doubt(view: SkullView) -> bool:  # noqa: ARG001
    """Return False: there are no doubts."""
    return False


def situations(view: SkullView) -> tuple[ClaimSituation, ...]:
    """Return who has more points, whether a bid stands, and the discs on the mats."""
    assert view.seat is not None  # a decision is a seat's
    discs = sum(view.mats)
    opened = (_ROUND[view.phase],) if view.phase in _ROUND else ()
    return (
        standing(view.seat, view.points, "points"),
        *opened,
        next(size for most, size in _SIZES if discs <= most),
    )
