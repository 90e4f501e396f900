"""The layout of strategies.

Tables are flat. For seat s and last bet i there are as many nodes as histories in which s is on
turn; node by node, a table holds (bets - i) actions times the hands of s: action 0 is the doubt,
action a the bet i + a. A history is a bit mask of its bets; without its highest bit it is odd or
even, which tells who is on turn, so half of it numbers the nodes of a seat.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.solver.round_game import Floats

Table: TypeAlias = NDArray[np.float32] | NDArray[np.float64]


@dataclass(frozen=True)
class Strategy:
    """Weights of actions by seat; normalised at each node and hand, they are probabilities.

    `opening` is [bet, hand of seat 0]; `answers` are flat tables by seat.
    """

    opening: Floats
    answers: tuple[Table, Table]


def offsets_of(bets: int, hands: tuple[int, int]) -> NDArray[np.int64]:
    """[seat, last bet]: where its nodes begin in the seat's table; the last entry is its size."""
    offsets = np.zeros((2, bets + 1), np.int64)
    for seat in (0, 1):
        for last in range(bets):
            nodes = seat if last == 0 else 2 ** (last - 1)
            offsets[seat, last + 1] = offsets[seat, last] + nodes * (bets - last) * hands[seat]
    return offsets


def normalised(weights: Floats) -> Floats:
    """Probabilities [action, hand] in proportion to weights; equal ones where all are zero."""
    total = weights.sum(0)
    return np.where(total > 0, weights / np.where(total > 0, total, 1), 1 / len(weights))
