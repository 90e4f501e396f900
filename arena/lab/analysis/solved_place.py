"""What near-equilibrium play of Bluff does in the place of a seat, with its dice."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from arena.games.bluff import Bet, BluffView, Doubt
from arena.games.bluff.chances import own_bet_chance

_HALF = Fraction(1, 2)


class SolvedPlace(NamedTuple):
    """How often solved play bluffs and doubts in a decision's place.

    And whether the seat bluffed and would better have bluffed.

    A bluff is here a bet that is more likely false than true by the dice that the seat sees.
    """

    own_dice: int
    other_dice: int
    bluffed: bool
    better_bluffs: bool
    """Whether the best action is a bluff."""
    bluffs: float
    doubts: float | None
    """None where no bet stands."""
    win: float
    """The seat's chance to win the match if it plays on like that."""


def solved_place(
    view: Any, taken: Any, values: Mapping[Any, float], play: Mapping[Any, float] | None
) -> SolvedPlace | None:
    """Return the solved place of a decision; None where solved play is unknown.

    By the view, the action taken and the values of all, and how often solved play takes each action
    there. None also in other games.
    """
    if play is None or not isinstance(view, BluffView) or view.seat is None:
        return None
    own = view.dice_counts[view.seat]
    return SolvedPlace(
        own,
        sum(view.dice_counts) - own,
        _is_bluff(view, taken),
        _is_bluff(view, max(values, key=values.__getitem__)),
        sum(share for action, share in play.items() if _is_bluff(view, action)),
        play.get(Doubt(), 0.0) if view.bets else None,
        sum(share * values[action] for action, share in play.items()),
    )


def _is_bluff(view: BluffView, action: Any) -> bool:
    return isinstance(action, Bet) and own_bet_chance(view, action) < _HALF
