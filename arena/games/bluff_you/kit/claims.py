"""Bluff You!'s claims: an announced number is false if it differs from the sum (BY-6)."""

from fractions import Fraction
from typing import Any, Final

from arena.games.bluff_you.chances import claim_chance
from arena.games.bluff_you.state import BluffYouState
from arena.games.bluff_you.values import Answer, BluffYouPhase, BluffYouView, Steal, Win
from arena.games.claims import ClaimSituation, standing
from arena.games.game import Options

UNIT: Final = ("pip off", "pips off")
"""The unit of a false claim, singular and plural."""
_SIZES: Final = (
    (4, ClaimSituation("size", 2, "1 to 4 chips in the centre")),
    (10, ClaimSituation("size", 1, "5 to 10 chips in the centre")),
    (16, ClaimSituation("size", 0, "11 to 16 chips in the centre")),
)


def off(
    action: Any,
    before: BluffYouState,
    after: BluffYouState,  # noqa: ARG001
    options: Options,  # noqa: ARG001
) -> int | None:
    """Return the distance of an announced number from the sum; None without an announcement."""
    return abs(action.number - sum(before.dice)) if isinstance(action, Win | Steal) else None


def doubts(action: Any) -> bool:
    """Return whether an action calls the announcement a bluff."""
    return isinstance(action, Answer) and not action.believe


def called(action: Any, before: Any, after: Any) -> bool:  # noqa: ARG001
    """Return whether an action is a doubt."""
    return doubts(action)


def chance(view: BluffYouView, options: Options) -> Fraction | None:  # noqa: ARG001
    """Return the probability that this turn's announcement is true."""
    return claim_chance(view)


def own_chance(action: Any, view: BluffYouView, options: Options) -> Fraction | None:  # noqa: ARG001
    """Return 1 or 0: whether an announced number is the sum of the bluffer's dice."""
    if not isinstance(action, Win | Steal):
        return None
    return Fraction(int(action.number == sum(view.dice)))


def likeliest(view: BluffYouView, options: Options) -> Fraction | None:  # noqa: ARG001
    """Return 1 or 0: whether the sum may be announced as a win or steal; None in other phases."""
    if view.phase is not BluffYouPhase.ANNOUNCE:
        return None
    number = sum(view.dice)
    others = (chips for seat, chips in enumerate(view.chips) if seat != view.seat)
    stolen = view.can_steal and any(number in chips for chips in others)
    return Fraction(int(number in view.win_numbers or stolen))


def may_doubt(view: BluffYouView) -> bool:
    """Return whether the seat is the seer that answers."""
    return view.phase is BluffYouPhase.ANSWER


def situations(view: BluffYouView) -> tuple[ClaimSituation, ...]:
    """Return who has more points, and the chips left in the centre."""
    assert view.seat is not None  # a decision is a seat's
    chips = len(view.centre)
    return (
        standing(view.seat, view.points, "points"),
        next(size for most, size in _SIZES if chips <= most),
    )
