"""What exact best responses prove of a strategy: bounds on the value of its round."""

import numpy as np

from arena.solver import kernel
from arena.solver.round_game import Floats, RoundGame, ValueBounds
from arena.solver.tables import Strategy, normalised, offsets_of


def proven_bounds(
    game: RoundGame, strategy: Strategy, payoffs: Floats | None = None
) -> ValueBounds:
    """What the opener is sure of with its part of a strategy, and the most it can get against the
    other's part: the value lies between. Other `payoffs` than the game's may be given."""
    payoffs = game.payoffs if payoffs is None else payoffs
    return ValueBounds(
        -_best(game, 1, strategy, np.ascontiguousarray(-payoffs.transpose(0, 1, 3, 2))),
        _best(game, 0, strategy, payoffs),
    )


def _best(game: RoundGame, seat: int, strategy: Strategy, payoffs: Floats) -> float:
    """What the seat's best response to the strategy gets."""
    other, bets = 1 - seat, len(game.bets)
    hands = len(game.hands[seat])
    stacks = kernel.Stacks(bets, hands, len(game.hands[other]))
    offsets = offsets_of(bets, (len(game.hands[0]), len(game.hands[1])))
    unused = np.zeros(0, strategy.answers[other].dtype)
    opening = normalised(strategy.opening)
    values = np.zeros((bets, hands))
    for bet in range(bets):
        reach = game.chances[other] * (opening[bet] if seat else 1.0)
        values[bet] = kernel.walk(
            stacks, seat, True, bet, offsets, unused, unused, strategy.answers[other],
            unused.reshape(0, hands), game.matching[seat], game.matching[other], payoffs,
            reach, None,
        )  # fmt: skip
    return float(game.chances[seat] @ (values.sum(0) if seat else values.max(0)))
