"""Bluff's claims: a bet is false if too few dice on the table match it (BL-11, BL-12)."""

from fractions import Fraction
from typing import Any, Final

from arena.games.bluff.bets import FACES, count_matching
from arena.games.bluff.chances import claim_chance, own_bet_chance
from arena.games.bluff.options import BluffOptions
from arena.games.bluff.state import BluffState
from arena.games.bluff.values import STAR, Bet, BluffView, Doubt
from arena.games.claims import ClaimSituation, standing
from arena.games.game import Options

UNIT: Final = ("die short", "dice short")
"""The unit of a false claim, singular and plural."""
_ROUND: Final = (
    ClaimSituation("round", 0, "opens the round"),
    ClaimSituation("round", 1, "answers the opening bet"),
    ClaimSituation("round", 2, "answers a later bet"),
)
_SIZES: Final = (
    (3, ClaimSituation("size", 0, "2 or 3 dice in play")),
    (6, ClaimSituation("size", 1, "4 to 6 dice in play")),
    (10, ClaimSituation("size", 2, "7 to 10 dice in play")),
    (999, ClaimSituation("size", 3, "more than 10 dice in play")),
)


def off(action: Any, before: BluffState, after: BluffState, options: Options) -> int | None:  # noqa: ARG001
    """Return how many dice a bet is short, counted before any re-roll that it allows."""
    if not isinstance(action, Bet):
        return None
    return max(0, action.quantity - count_matching(action.face, (*after.hidden, *after.face_up)))


def doubts(action: Any) -> bool:
    """Return whether an action doubts the standing bet."""
    return isinstance(action, Doubt)


def called(action: Any, before: Any, after: Any) -> bool:  # noqa: ARG001
    """Return whether an action is a doubt."""
    return doubts(action)


def chance(view: BluffView, options: Options) -> Fraction | None:  # noqa: ARG001
    """Return the probability that the standing bet is true."""
    return claim_chance(view)


def own_chance(action: Any, view: BluffView, options: Options) -> Fraction | None:  # noqa: ARG001
    """Return the probability that a bet is true, given its seat's view before any re-roll."""
    return own_bet_chance(view, action) if isinstance(action, Bet) else None


def likeliest(view: BluffView, options: BluffOptions) -> Fraction | None:
    """Return the largest probability that a legal bet is true; None if none is legal (BL-18).

    The likeliest bet is the lowest on some face. With the extension, it may lay out the dice that
    count for it, or one die if none counts, so that the others are rolled again.
    """
    found = []
    for quantity, face in zip(view.lowest, FACES, strict=True):
        if quantity <= view.highest:
            found.append(own_bet_chance(view, Bet(quantity, face)))
            if not options.show_and_reroll:
                continue
            counting = tuple(die for die in view.hidden_dice if die in (face, STAR))
            show = counting or view.hidden_dice[:1]
            if len(show) < len(view.hidden_dice):
                found.append(own_bet_chance(view, Bet(quantity, face, show)))
    return max(found, default=None)


def may_doubt(view: BluffView) -> bool:
    """Return whether a bet stands that the seat may doubt."""
    return view.can_doubt


def situations(view: BluffView) -> tuple[ClaimSituation, ...]:
    """Return who has more dice, the place in the round, and the dice in play."""
    assert view.seat is not None  # a decision is a seat's
    in_play = sum(view.dice_counts)
    return (
        standing(view.seat, view.dice_counts, "dice"),
        _ROUND[min(len(view.bets), 2)],
        next(size for most, size in _SIZES if in_play <= most),
    )
