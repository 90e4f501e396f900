"""The values of own bets in a round whose play knows only the last bets.

Letters in the shapes of arrays: p = place, n = node, a = action, h = hand of the opponent.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.lab.analysis.bluff.recall import Numbers, TableNodes
from arena.lab.analysis.bluff.table import Weights


class ByPlace(NamedTuple):
    """The play of one seat that knows only the last bet, and the values of its doubts."""

    shares: list[Weights]
    """[p][a, h] Probabilities; of a seat with a known hand [p][a]."""
    doubts: Weights
    """[p - 1, h] The value of its doubt."""


class LastBetValues:
    """The values of a seat's bets with one hand of its own, if only the last bet is known."""

    def __init__(self, opponent: ByPlace, own: ByPlace) -> None:
        self._opponent, self._own = opponent, own
        self._answered, self._turn = np.zeros((2, len(own.doubts) + 1, own.doubts.shape[1]))
        """[p, h] The value with the opponent on turn, and with the seat itself."""
        self._lowest = len(own.doubts) + 1
        """The lowest computed place."""

    def of_bets(self, history: Sequence[int]) -> Weights:
        """Return the values of all bets that raise after a history: [a, h]."""
        place = history[-1] if history else 0
        # A bet may lead to every place above it.
        while self._lowest > place + 1:
            self._lowest -= 1
            self._compute(self._lowest)
        return self._answered[place + 1 :]

    def _compute(self, place: int) -> None:
        theirs, own = self._opponent.shares[place], self._own.shares[place]
        answered = theirs[0] * self._opponent.doubts[place - 1]
        answered += np.einsum("ah,ah->h", theirs[1:], self._turn[place + 1 :])
        self._turn[place] = own[0] * self._own.doubts[place - 1]
        self._turn[place] += own[1:] @ self._answered[place + 1 :]
        self._answered[place] = answered


class ByRow(NamedTuple):
    """The play of one seat that knows several bets, and the values of its doubts."""

    weights: NDArray[np.uint8]
    """[row, h] Weights in proportion to the probability; of a seat with a known hand [row, 1]."""
    taken: NDArray[np.bool_]
    """[row] Whether the play ever takes the action."""
    doubts: Weights
    """[p - 1, h] The value of its doubt."""


class LastBetsValues:
    """The values of a seat's bets with one hand of its own, if several bets are known.

    Values are computed on demand, with those of the nodes that play reaches from there.
    """

    def __init__(self, nodes: TableNodes, opponent: ByRow, own: ByRow) -> None:
        self._nodes, self._seats = nodes, (opponent, own)
        shape = int(nodes.first[-1]), opponent.doubts.shape[1]
        self._values = np.zeros(shape), np.zeros(shape)
        """[n, h] The value with the opponent on turn, and with the seat itself."""
        self._known = np.zeros(shape[0], bool), np.zeros(shape[0], bool)

    def of_bets(self, history: Sequence[int]) -> Weights:
        """Return the values of all bets that raise after a history: [a, h]."""
        place = history[-1] if history else 0
        (bets,) = self._nodes.below(place, np.array([self._nodes.node(history)]))
        self._compute(place, bets)
        values: Weights = self._values[0][bets]
        return values

    def _compute(self, place: int, bets: Numbers) -> None:
        """Compute the unknown values reachable from the nodes after own bets above a place."""
        nodes = self._nodes
        needed = tuple(np.zeros_like(known) for known in self._known)
        needed[0][bets] = True
        found = []
        for later in range(place + 1, nodes.bets + 1):
            first, end = nodes.first[later : later + 2]
            actions = np.arange(nodes.bets - later + 1)
            for turn, seat in enumerate(self._seats):
                (at,) = (needed[turn][first:end] & ~self._known[turn][first:end]).nonzero()
                if len(at):
                    rows = nodes.first_rows[later] + at[:, None] * len(actions) + actions
                    below = nodes.below(later, at)
                    needed[1 - turn][below[seat.taken[rows[:, 1:]]]] = True
                    found.append((later, turn, first + at, rows, below))
        for later, turn, at, rows, below in reversed(found):
            weights = self._seats[turn].weights[rows].astype(np.float64)
            values = weights[:, 0] * self._seats[turn].doubts[later - 1]
            values += np.einsum("nah,nah->nh", weights[:, 1:], self._values[1 - turn][below])
            self._values[turn][at] = values / weights.sum(1)
            self._known[turn][at] = True
