"""What exact best responses prove of a strategy: bounds on the value of its round."""

import numpy as np

from arena.lab.solver.round_game import Floats, RoundGame, ValueBounds
from arena.lab.solver.tables import Strategy
from arena.lab.solver.walker import Walker


def proven_bounds(
    game: RoundGame, strategy: Strategy, payoffs: Floats | None = None
) -> ValueBounds:
    """Return between which bounds a round's value lies.

    The opener is sure of the lower one with its part of a strategy, and gets at most the upper one
    against the other's part. Other `payoffs` than the game's may be given.
    """
    opener, other = (Walker(game, seat, np.float64, payoffs) for seat in (0, 1))
    return ValueBounds(
        -other.best_response(strategy.weights[0]), opener.best_response(strategy.weights[1])
    )
