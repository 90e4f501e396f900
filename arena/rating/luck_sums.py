"""Sums of the luck of matches per pair, which the luck-adjusted fit needs in addition to counts.

The luck of a pair in a match at a table of n seats, whose lucks L sum to zero, is

    x_ij = (L_i - L_j) (n - 1) / n,    so that    sum over j of x_ij = (n - 1) L_i

which is the points that luck gave i against all others together. The sums are: X_ij, the sum of
x_ij over *all* pairs of all matches; the same over the pairs that the score rule counts; the sum of
(s - 1/2) x over these, which does not depend on the order in a pair; and by pair the sum of x^2. A
match changes only its own pairs, and can be removed.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.rating.elo import FloatArray, IntArray
from arena.rating.methods import ScoreRule

PairMasks = tuple[np.ndarray, np.ndarray, np.ndarray]


class LuckSums:
    """Sums of the luck of matches, by pairs of bots in the order of an aggregate."""

    def __init__(self, rule: ScoreRule) -> None:
        self.rule = rule
        self.products = 0.0
        self._matches = np.zeros(0, np.int64)
        self._squares = np.zeros((0, 0))
        self._all = np.zeros((0, 0))
        # Under `placement` all pairs count.
        self._counted = np.zeros((0, 0)) if rule is ScoreRule.WINNER else self._all

    def matches(self, bots: int) -> IntArray:
        """Return (K,) the number of matches with luck of each of the first K bots."""
        return np.pad(self._matches, (0, max(0, bots - len(self._matches))))[:bots]

    def all_pairs(self, bots: int) -> FloatArray:
        """Return X (K, K) of the first K bots over all pairs; antisymmetric."""
        return _first(self._all, bots)

    def counted_pairs(self, bots: int) -> FloatArray:
        """Return X (K, K) over the pairs that the score rule counts; antisymmetric."""
        return _first(self._counted, bots)

    def squares(self, bots: int) -> FloatArray:
        """Return the sums of x^2 over all pairs (K, K); symmetric."""
        return _first(self._squares, bots)

    def add(self, seated: Sequence[tuple[int, int]], luck: Sequence[float], sign: int) -> None:
        """Add a match, or remove it with sign -1.

        Args:
            seated: The bot's index and its placing, by seat.
            luck: Points above expectation, by seat, summing to zero.
            sign: 1 to add, -1 to remove.
        """
        if not any(luck):
            return
        numbers = [number for number, _ in seated]
        self._hold(max(numbers) + 1)
        self._matches[numbers] += sign
        seats = len(seated)
        winner_only = self.rule is ScoreRule.WINNER
        for a, b in combinations(range(seats), 2):
            x = sign * (luck[a] - luck[b]) * (seats - 1) / seats
            (i, first), (j, second) = seated[a], seated[b]
            self._all[i, j] += x
            self._all[j, i] -= x
            self._squares[i, j] += sign * x * x
            self._squares[j, i] += sign * x * x
            if winner_only:
                if min(first, second) > 1:
                    continue
                self._counted[i, j] += x
                self._counted[j, i] -= x
            self.products += 0.5 * x * ((first < second) - (second < first))

    def add_matches(self, seated: NDArray[np.int32], luck: FloatArray, bots: int) -> None:
        """Count the bots' matches with luck among many matches (n, s).

        `add_pairs` adds their pairs.
        """
        self._hold(bots)
        lucky = seated[luck.any(axis=1)]
        self._matches[:bots] += np.bincount(lucky.ravel(), minlength=bots)

    def add_pairs(
        self,
        first: IntArray,
        second: IntArray,
        outcomes: PairMasks,
        x: FloatArray,
        bots: int,
    ) -> None:
        """Add the same pair of seats of many matches.

        Args:
            first: (n,) the bot of the first seat.
            second: (n,) the bot of the second seat.
            outcomes: What `pair_outcomes` returned.
            x: (n,) the luck of the pair.
            bots: K, the number of bots.
        """
        self._hold(bots)
        better, equal, worse = outcomes
        key = first * bots + second
        one_way = _by_pair(key, x, bots)
        self._all[:bots, :bots] += one_way - one_way.T
        one_way = _by_pair(key, x * x, bots)
        self._squares[:bots, :bots] += one_way + one_way.T
        if self.rule is ScoreRule.WINNER:
            counted = better | equal | worse
            one_way = _by_pair(key[counted], x[counted], bots)
            self._counted[:bots, :bots] += one_way - one_way.T
        self.products += 0.5 * float(x[better].sum() - x[worse].sum())

    def arrays(self, low: IntArray, high: IntArray, bots: int) -> dict[str, NDArray[np.generic]]:
        """Return all sums for storage, those by pair only of the pairs (low, high)."""
        by_pair = {"squares": self.squares(bots), "all": self.all_pairs(bots)}
        if self.rule is ScoreRule.WINNER:
            by_pair["counted"] = self.counted_pairs(bots)
        return {
            "luck_matches": self.matches(bots),
            "luck_products": np.array([self.products]),
            **{f"luck_{name}": sums[low, high] for name, sums in by_pair.items()},
        }

    def set_arrays(
        self, low: IntArray, high: IntArray, bots: int, arrays: Mapping[str, NDArray[np.generic]]
    ) -> None:
        """Set these sums, which must be empty, to those that `arrays` returned."""
        self._hold(bots)
        self._matches[:bots] = arrays["luck_matches"]
        self.products = float(arrays["luck_products"].astype(np.float64)[0])
        self._squares[low, high] = self._squares[high, low] = arrays["luck_squares"]
        signed = {"luck_all": self._all}
        if self.rule is ScoreRule.WINNER:
            signed["luck_counted"] = self._counted
        for name, sums in signed.items():
            one_way = arrays[name].astype(np.float64)
            sums[low, high], sums[high, low] = one_way, -one_way

    def _hold(self, bots: int) -> None:
        """Make room for `bots` bots; growing by a part keeps a new bot's average cost constant."""
        room = len(self._all)
        if bots <= room:
            return
        more = max(8, room // 4, bots - room)
        self._matches = np.pad(self._matches, (0, more))
        self._all = grown(self._all, more)
        self._squares = grown(self._squares, more)
        if self.rule is ScoreRule.WINNER:
            self._counted = grown(self._counted, more)
        else:
            self._counted = self._all


def grown(square: NDArray[Any], more: int) -> NDArray[Any]:
    """Return a copy with `more` rows and columns of zeros, which take no memory until used."""
    room = len(square)
    larger = np.zeros((room + more, room + more), square.dtype)
    larger[:room, :room] = square
    return larger


def pair_luck(first: FloatArray, second: FloatArray, seats: int) -> FloatArray:
    """Return x of a pair of seats, one value per match.

    Args:
        first: (n,) the luck of the first seat.
        second: (n,) the luck of the second seat.
        seats: The number of seats of the table.
    """
    return (first - second) * ((seats - 1) / seats)


def _first(sums: FloatArray, bots: int) -> FloatArray:
    """Return the sums of the first `bots` bots, zero where none are known yet."""
    missing = max(0, bots - len(sums))
    return np.pad(sums, (0, missing))[:bots, :bots] if missing else sums[:bots, :bots]


def _by_pair(key: IntArray, values: FloatArray, bots: int) -> FloatArray:
    """Return the sums of `values` by key, as a matrix (bots, bots)."""
    sums = np.bincount(key, values, minlength=bots * bots).astype(np.float64, copy=False)
    return sums.reshape(bots, bots)
