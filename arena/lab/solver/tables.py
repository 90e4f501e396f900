"""The layout of tables: numbers by node, action and hand.

A history is a sequence of rising bets. Its *place* is 0 before the first bet, else the number of
the last bet on the track, counted from 1. At a place p of B bets there are B - p + 1 actions:
action 0 is the doubt (at place 0 no doubt is possible), action a the bet at place p + a. After the
last bet only a doubt is left: such nodes need no numbers.

A seat's table holds the nodes at which it is on turn, depth first, so that the numbers of a subtree
are contiguous and a walk reads them in order. Each node has `lanes` numbers per action: one for
each of the seat's hands, padded with zeros.
"""

from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Table: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

_VECTOR = 8
"""The numbers of single precision that a processor handles at once."""


@dataclass(frozen=True)
class Strategy:
    """The weights of actions by seat; normalised at each node and hand, they are probabilities."""

    weights: tuple[Table, Table]


@dataclass(frozen=True)
class Layout:
    """The sizes of the subtrees below a node, by its place."""

    bets: int
    mine: NDArray[np.int64]
    """The number of actions of a seat's nodes, where the seat is on turn at the root of the
    subtree.
    """
    others: NDArray[np.int64]
    """The number of actions of a seat's nodes, where the other seat is on turn at the root."""
    my_nodes: NDArray[np.int64]
    """The number of a seat's nodes, where the seat is on turn at the root."""
    other_nodes: NDArray[np.int64]
    """The number of a seat's nodes, where the other seat is on turn at the root."""

    def actions(self, seat: int) -> int:
        """Return the number of a seat's actions at all nodes: its table's length by its lanes."""
        return int(self.others[0] if seat else self.mine[0])

    def nodes(self, seat: int) -> int:
        """Return the number of nodes of a seat."""
        return int(self.other_nodes[0] if seat else self.my_nodes[0])


@cache
def layout_of(bets: int) -> Layout:
    """Return the layout of tables for a round with `bets` bets."""
    mine, others, my_nodes, other_nodes = np.zeros((4, bets + 1), np.int64)
    for place in reversed(range(bets)):
        below = slice(place + 1, None)
        mine[place] = bets - place + 1 + others[below].sum()
        others[place] = mine[below].sum()
        my_nodes[place] = 1 + other_nodes[below].sum()
        other_nodes[place] = my_nodes[below].sum()
    return Layout(bets, mine, others, my_nodes, other_nodes)


def lanes_for(hands: int) -> int:
    """Return the number of lanes for `hands` hands: whole vectors of the processor."""
    return -(-hands // _VECTOR) * _VECTOR
