"""The roll that begins a turn: all possible rolls, the draw, and the state after it."""

from dataclasses import replace
from itertools import product
from typing import Final

from arena.games.bluff_you.state import ANNOUNCE, ROLL, BluffYouState
from arena.games.bluff_you.values import DICE, PIPS, BluffYouAction, Roll
from arena.games.game import IllegalActionError
from arena.randomness import Randomness

ROLLS: Final = tuple(Roll(dice) for dice in product(range(1, PIPS + 1), repeat=DICE))
"""All 216 rolls of three dice."""


def drawn(turn: int, randomness: Randomness) -> Roll:
    """Return the roll of a turn; each die has its own key."""
    return Roll(
        tuple([randomness.below(f"turn {turn} die {die}", PIPS) + 1 for die in range(DICE)])
    )


def rolled(state: BluffYouState, action: BluffYouAction) -> BluffYouState:
    """Return the state after a roll.

    Raises IllegalActionError if the action is not a legal roll.
    """
    if state.phase is not ROLL:
        raise IllegalActionError("No dice are rolled now.")
    if type(action) is not Roll or type(action.dice) is not tuple or len(action.dice) != DICE:
        raise IllegalActionError("The dealer rolls three dice.")
    if any(type(die) is not int or not 1 <= die <= PIPS for die in action.dice):
        raise IllegalActionError(f"A die shows 1 to {PIPS}.")
    return replace(state, phase=ANNOUNCE, dice=action.dice)
