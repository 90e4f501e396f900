"""The options of the game as inputs of the solver: what it can solve, and the value of a match.

OptionsNotSolvedError    the options make it a game that the solver does not know
"""

from arena.errors import UserError
from arena.games.bluff import BluffOptions
from arena.lab.solver.round_game import ValueBounds


class OptionsNotSolvedError(UserError):
    """The solver does not know the game under these options; the message says which."""


def check_options(options: BluffOptions) -> None:
    """Raise OptionsNotSolvedError for options that the solver does not know."""
    if options.show_and_reroll:
        raise OptionsNotSolvedError("Bluff is solved without its extension (show_and_reroll).")
    if options.bet_cap != "dice_in_play":
        raise OptionsNotSolvedError("Bluff is solved with bets up to the dice in play (bet_cap).")
    if options.players_min > 2:
        raise OptionsNotSolvedError("Bluff is solved at two seats (players_min).")


def match_value(options: BluffOptions, first_round: ValueBounds) -> ValueBounds:
    """Return seat 0's probability to win a match, from the opener's in its first round."""
    if options.start_mode == "seat":
        return first_round
    # Both seats roll alike for the right to open, whatever a star counts and however often tied
    # seats roll again (BL-4): each opens with probability 1/2.
    return ValueBounds(0.5, 0.5)
