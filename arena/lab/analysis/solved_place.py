"""Near-equilibrium play of Bluff in the position of a seat, with the seat's dice."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from arena.games.bluff import Bet, BluffView, Doubt
from arena.games.bluff.chances import own_bet_chance

_HALF = Fraction(1, 2)


class SolvedShares(NamedTuple):
    """The probabilities with which solved play bluffs and doubts in a decision's place."""

    bluffs: float
    doubts: float | None
    """None where no bet is open."""


class SolvedPlace(NamedTuple):
    """The bluffs and doubts of solved play in a decision's place, and those of the seat.

    A bluff here is a bet that is more likely false than true given the dice that the seat sees.
    """

    own_dice: int
    other_dice: int
    bluffed: bool
    """Whether the seat bluffed."""
    better_bluffs: bool
    """Whether the best action is a bluff."""
    bluffs: float
    """The probability that solved play bluffs."""
    doubts: float | None
    """The probability that solved play doubts; None where no bet is open."""
    win: float
    """The seat's chance to win the match if it plays on by solved play."""

    @property
    def shares(self) -> SolvedShares:
        """How often solved play bluffs and doubts."""
        return SolvedShares(self.bluffs, self.doubts)


def solved_place(
    view: Any, taken: Any, values: Mapping[Any, float], play: Mapping[Any, float] | None
) -> SolvedPlace | None:
    """Return the place of a decision in solved play; None where that is unknown, as in other games.

    Args:
        view: The seat's view.
        taken: The action taken.
        values: The chance to win after each action.
        play: The probability with which solved play takes each action there, None if unknown.
    """
    if play is None or not isinstance(view, BluffView) or view.seat is None:
        return None
    own = view.dice_counts[view.seat]
    return SolvedPlace(
        own,
        sum(view.dice_counts) - own,
        _is_bluff(view, taken),
        _is_bluff(view, max(values, key=values.__getitem__)),
        *solved_shares(view, play),
        sum(share * values[action] for action, share in play.items()),
    )


def solved_shares(view: BluffView, play: Mapping[Any, float]) -> SolvedShares:
    """Return how often solved play bluffs and doubts in a seat's place."""
    return SolvedShares(
        sum(share for action, share in play.items() if _is_bluff(view, action)),
        play.get(Doubt(), 0.0) if view.bets else None,
    )


def _is_bluff(view: BluffView, action: Any) -> bool:
    return isinstance(action, Bet) and own_bet_chance(view, action) < _HALF
