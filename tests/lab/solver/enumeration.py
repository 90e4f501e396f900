"""The value of a duel with two bets, by trying all pure strategies against each other by the rules.

An independent check: nothing is shared with the solver. All deals are played on the game itself.
"""

from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from arena.games.bluff import Bet, BluffAction, Doubt, Face
from tests.games.bluff_table import bluff, rolled

_FACES = [*Face]


def results(low: Bet, high: Bet) -> NDArray[np.float64]:
    """[opener's strategy, other's strategy]: how often the opener wins, with a die each, where only
    these two bets may be placed.

    The opener's strategy says for each face whether it opens with the high bet, the other's whether
    it answers the low bet by the high one rather than doubt. After the high bet all doubt.
    """
    faces = range(len(_FACES))
    won = np.zeros((2, len(_FACES), 2, len(_FACES)))
    for opens_high, own, raises, other in product((0, 1), faces, (0, 1), faces):
        bets = [high] if opens_high else [low, high] if raises else [low]
        won[opens_high, own, raises, other] = _opener_wins([_FACES[own], _FACES[other]], bets)
    strategies = [*product((0, 1), repeat=len(_FACES))]
    deals = Fraction(1, len(_FACES) ** 2)
    return np.array(
        [
            [
                float(deals) * sum(won[opener[x], x, other[y], y] for x in faces for y in faces)
                for other in strategies
            ]
            for opener in strategies
        ]
    )


def value_of(table: NDArray[np.float64]) -> float:
    """What a mixture of rows is sure of, whichever column is played (von Neumann 1928)."""
    rows, columns = table.shape
    solved = linprog(
        [*[0] * rows, -1],
        np.hstack([-table.T, np.ones((columns, 1))]),
        np.zeros(columns),
        np.array([[*[1] * rows, 0]]),
        [1],
        [(0, None)] * rows + [(None, None)],
        method="highs",
    )
    assert solved.fun is not None
    return -float(solved.fun)


def _opener_wins(faces: list[Face], bets: list[Bet]) -> bool:
    game = bluff(dice_per_player=1)
    state = rolled(game, ["*" if face is Face.STAR else str(int(face)) for face in faces])
    actions: list[BluffAction] = [*bets, Doubt()]
    for action in actions:
        assert state.turn is not None
        state = game.apply(state, state.turn, action)
    return state.dice_counts[0] > 0
