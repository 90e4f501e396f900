"""The nodes of play that knows only the last few bets of a round.

Places and actions are numbered as in tables.py. A node is the sequence of recalled bets, as places.
Nodes are ordered by the last bet, then by the one before, and so on; "no bet" comes before any bet.
With as many bets recalled as there are, nodes are histories.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb

import numpy as np

from arena.lab.solver.round_game import Counts


@dataclass(frozen=True)
class RecallNodes:
    """The nodes of a round, whose rows are actions, node by node.

    The first row of every node is a doubt, though no doubt is possible before the first bet.
    """

    places: Counts
    """[node] The last bet, 0 before the first."""
    rows: Counts
    """[node] The node's first row; at the end, the number of rows."""
    below: Counts
    """[row] The node that the row's bet leads to; 0 for doubts."""


def row_count(bets: int, recall: int) -> int:
    """Return the number of rows of a round's nodes, without building the nodes."""
    after_a_bet = (
        comb(place - 1, others) * (bets - place + 1)
        for place in range(1, bets + 1)
        for others in range(recall)
    )
    return bets + 1 + sum(after_a_bet)


# Bounded by the dice in play.
@cache
def recall_nodes(bets: int, recall: int) -> RecallNodes:
    """Return the nodes of a round with `bets` bets, of which the last `recall` are known."""
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
