"""The roll with which a turn begins: all there are, what is drawn, and the state after one."""

from itertools import product
from typing import Final

from arena.games.bluff_you.state import ANNOUNCE, ROLL, BluffYouState
from arena.games.bluff_you.values import DICE, PIPS, BluffYouAction, Roll
from arena.games.game import IllegalActionError
from arena.randomness import Randomness

ROLLS: Final = tuple(Roll(dice) for dice in product(range(1, PIPS + 1), repeat=DICE))


def drawn(turn: int, randomness: Randomness) -> Roll:
    """Return the roll of a turn; each die has a key of its own."""
    return Roll(
        tuple([randomness.below(f"turn {turn} die {die}", PIPS) + 1 for die in range(DICE)])
    )


def rolled(state: BluffYouState, action: BluffYouAction) -> BluffYouState:
    """Return the state after the dealer's action.

    Raises IllegalActionError.
    """
    if state.phase is not ROLL:
        raise IllegalActionError("No dice are rolled now.")
    if type(action) is not Roll or type(action.dice) is not tuple or len(action.dice) != DICE:
        raise IllegalActionError("The dealer rolls three dice.")
    if any(type(die) is not int or not 1 <= die <= PIPS for die in action.dice):
        raise IllegalActionError(f"A die shows 1 to {PIPS}.")
    return BluffYouState(
        state.turn,
        state.bluffer,
        ANNOUNCE,
        action.dice,
        None,
        None,
        0,
        state.no_win_turns,
        state.centre,
        state.chips,
    )
