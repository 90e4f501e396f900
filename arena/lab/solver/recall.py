"""What a seat recalls of a round: the nodes of play that knows the last few bets only.

Places and actions are numbered as in tables.py. A node is what is recalled: the last bets, as
places. Nodes are numbered by the last bet, then by the one before, and so on; none comes before
any. With as many bets recalled as there are, nodes are histories.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb

import numpy as np

from arena.lab.solver.round_game import Counts


@dataclass(frozen=True)
class RecallNodes:
    """The nodes of a round.

    Rows are actions, node by node; every node has a doubt, its first row, though before the first
    bet there is nothing to doubt.
    """

    places: Counts
    """[node] The last bet, 0 before the first."""
    rows: Counts
    """[node] Where its rows begin; at the end, how many rows there are."""
    below: Counts
    """[row] The node after a bet; 0 for doubts."""


def row_count(bets: int, recall: int) -> int:
    """How many rows the nodes of a round have, without making them."""
    after_a_bet = (
        comb(place - 1, others) * (bets - place + 1)
        for place in range(1, bets + 1)
        for others in range(recall)
    )
    return bets + 1 + sum(after_a_bet)


# Bounded by the dice in play.
@cache
def recall_nodes(bets: int, recall: int) -> RecallNodes:
    """Return the nodes of a round with so many bets, of which the last `recall` are known."""
    nodes = sorted(
        (
            bets_known
            for size in range(min(recall, bets) + 1)
            for bets_known in combinations(range(1, bets + 1), size)
        ),
        key=lambda known: (*known[::-1], *(0,) * (recall - len(known))),
    )
    numbers = {known: number for number, known in enumerate(nodes)}
    places = np.array([known[-1] if known else 0 for known in nodes])
    below = [
        numbers[(*known, place)[-recall:]] if place > last else 0
        for known, last in zip(nodes, places.tolist(), strict=True)
        for place in range(last, bets + 1)
    ]
    return RecallNodes(places, np.cumsum([0, *(bets - places + 1)]), np.array(below))
