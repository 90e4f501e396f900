"""Bounds on the value of a round, proven by exact best responses to a strategy."""

import numpy as np

from arena.lab.solver.round_game import Floats, RoundGame, ValueBounds
from arena.lab.solver.tables import Strategy
from arena.lab.solver.walker import Walker


def proven_bounds(
    game: RoundGame, strategy: Strategy, payoffs: Floats | None = None
) -> ValueBounds:
    """Return the bounds on a round's value that a strategy proves.

    The lower bound is what the opener's part of the strategy guarantees it, the upper bound is the
    most it can get against the other's part: the value lies between. `payoffs` replace the game's
    own.
    """
    opener, other = (Walker(game, seat, np.float64, payoffs) for seat in (0, 1))
    return ValueBounds(
        -other.best_response(strategy.weights[0]), opener.best_response(strategy.weights[1])
    )
