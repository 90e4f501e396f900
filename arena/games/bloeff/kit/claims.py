"""Blöff's claims: an announced total is false if it differs from the card's true total (BO-11)."""

from fractions import Fraction
from typing import Any, Final

from arena.games.bloeff.chances import claim_chance
from arena.games.bloeff.options import BloeffOptions
from arena.games.bloeff.state import BloeffState
from arena.games.bloeff.turns import honest_total
from arena.games.bloeff.values import NUMBER_CARDS, Ballot, BloeffView, Card, Number
from arena.games.claims import ClaimSituation, standing

UNIT: Final = ("point off", "points off")
"""The unit of a false claim, singular and plural."""
_ROUND: Final = (
    ClaimSituation("round", 0, "before the round's first announcement"),
    ClaimSituation("round", 1, "more than 4 below the limit"),
    ClaimSituation("round", 2, "up to 4 below the limit"),
)
_SIZES: Final = (
    (3, ClaimSituation("size", 2, "up to 3 cards in hand")),
    (7, ClaimSituation("size", 1, "4 to 7 cards in hand")),
    (99, ClaimSituation("size", 0, "more than 7 cards in hand")),
)


def off(action: Any, before: BloeffState, after: BloeffState, options: BloeffOptions) -> int | None:
    """Return the distance of an announced total from the honest one; None without a claim."""
    # A total above the limit is a bust and cannot be doubted (BO-17).
    if not isinstance(action, Number) or after.open_card is None:
        return None
    return abs(action.announce - honest_total(options, before.total, Card(action.value)))


def doubts(action: Any) -> bool:
    """Return whether an action doubts the announced total."""
    return isinstance(action, Ballot) and action.doubt


def called(action: Any, before: Any, after: Any) -> bool:  # noqa: ARG001
    """Return whether an action is a doubt."""
    return doubts(action)


def chance(view: BloeffView, options: BloeffOptions) -> Fraction | None:
    """Return the probability that the balloted total is true."""
    return claim_chance(view, options)


def own_chance(action: Any, view: BloeffView, options: BloeffOptions) -> Fraction | None:
    """Return 1 or 0: whether an announced total is the card's honest one; None for a bust."""
    if not isinstance(action, Number) or action.announce > view.limit:
        return None
    honest = honest_total(options, view.total, Card(action.value))
    return Fraction(int(action.announce == honest))


def likeliest(view: BloeffView, options: BloeffOptions) -> Fraction | None:
    """Return 1 or 0: whether some card of the hand has an honest total within the limit.

    None if no announcement within the limit is legal.
    """
    numbers = [card for card in view.hand if card in NUMBER_CARDS]
    highest = min(view.highest, view.limit)
    if view.balloted is not None or not numbers or view.lowest > highest:
        return None
    honest = (honest_total(options, view.total, card) for card in numbers)
    return Fraction(int(any(view.lowest <= total <= highest for total in honest)))


def may_doubt(view: BloeffView) -> bool:
    """Return whether the seat ballots."""
    return view.balloted is not None


def situations(view: BloeffView) -> tuple[ClaimSituation, ...]:
    """Return who has fewer cards, how far below the limit the total is, and the hand's size."""
    assert view.seat is not None  # a decision is a seat's
    room = view.limit - view.total
    cards = len(view.hand)
    return (
        standing(view.seat, view.hand_sizes, "cards", fewer_is_better=True),
        _ROUND[(2 if room <= 4 else 1) if view.announcements or view.balloted else 0],
        next(size for most, size in _SIZES if cards <= most),
    )
