"""The nodes of play that knows only the last bets of a round, numbered as in its tables.

Bets are numbered from 1 on the track, in ascending order; a place is the last one, 0 before the
first. A node is the sequence of known bets: nodes are ordered by place, then by the bet before it,
and so on; "no bet" comes before any bet.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import comb
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class TableNodes:
    """The nodes of a round with `bets` bets, of which the last `recall` are known."""

    bets: int
    recall: int
    first: Numbers
    """[place] Its first node; at the end, the number of nodes. A place has a node for each choice
    of the known bets before it.
    """
    first_rows: list[int]
    """[place] Its first row, where a node has one row for each action; at the end, the number of
    rows.
    """
    forgotten: Numbers
    """[node of a place] The node that it becomes if one bet less is known."""

    # The cache is bounded by the dice in play.
    @staticmethod
    @cache
    def of(bets: int, recall: int) -> "TableNodes":
        """Return the nodes of a round with `bets` bets, `recall` of them known."""
        counts = [1, *(_choices(place, recall) for place in range(1, bets + 1))]
        rows = [count * (bets - place + 1) for place, count in enumerate(counts)]
        first, first_rows = np.cumsum([0, *counts]), [0, *accumulate(rows)]
        return TableNodes(bets, recall, first, first_rows, _forgotten(bets, recall))

    def node(self, history: Sequence[int]) -> int:
        """Return the node after a history, numbered among those of its place."""
        before = history[-self.recall : -1]
        return sum(
            _choices(bet, self.recall - earlier) for earlier, bet in enumerate(reversed(before))
        )

    def rows(self, history: Sequence[int]) -> slice:
        """Return the rows of the node after a history."""
        place = history[-1] if history else 0
        actions = self.bets - place + 1
        start = self.first_rows[place] + self.node(history) * actions
        return slice(start, start + actions)

    def below(self, place: int, nodes: Numbers) -> Numbers:
        """Return the nodes after each bet above the place, numbered among all: [node, action]."""
        later = self.first[place + 1 : -1]
        if place and self.recall > 1:
            # The nodes after this place are contiguous, and have forgotten the oldest bet.
            later = later + _choices(place, self.recall) + self.forgotten[nodes, None]
        return np.broadcast_to(later, (len(nodes), self.bets - place))


def _choices(place: int, recall: int) -> int:
    """Return the number of choices of fewer than `recall` bets before a place."""
    return sum(comb(place - 1, known) for known in range(recall))


def _forgotten(bets: int, recall: int) -> Numbers:
    """Return `TableNodes.forgotten` for the last place: [node of a place].

    Its nodes include those of every other place.
    """
    if recall <= 2:
        return np.zeros(_choices(bets, recall), np.int64)
    fewer = _forgotten(bets, recall - 1)
    sizes = [_choices(bet, recall - 1) for bet in range(1, bets)]
    return np.concatenate([[0], *(size + fewer[:size] for size in sizes)])
