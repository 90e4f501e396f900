"""Sums over clusters from which the clustered sandwich follows for any ratings, without the log.

With w the points that i took from j in a cluster, n the comparisons and x the luck of the pair, the
cluster's score for the pair under probabilities p is

    s = w - n p - t x        (t: what the luck-adjusted fit subtracts; 0 for the official one)

A cluster of two bots has the score vector (s, -s), so that

    sum of s^2 = sum w^2 - 2 p sum nw + p^2 sum n^2 - 2 t sum wx + 2 p t sum nx + t^2 sum x^2

needs six sums per pair of bots, however many clusters there were. The score vectors of larger
clusters mix pairs: at four seats u u^T has products of each two of a cluster's six pairs, which are
independent as functions of p and t, so that nothing less than nine sums for each two pairs of bots
that met in a cluster is enough for all ratings, and K bots may have K^4 / 8 of these. So (w, n, x)
are kept instead, in one row of 40 bytes for each cluster and pair.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.rating.aggregate import pair_outcomes
from arena.rating.clusters import ScoreGroup, ScoreProducts, score_products, summed_scores
from arena.rating.elo import FloatArray, IntArray
from arena.rating.luck_sums import pair_luck
from arena.rating.methods import ScoreRule
from arena.rating.results import MatchColumns, cluster_numbers

_SUMS: Final = ("clusters", "nn", "nw", "ww", "nx", "wx", "xx")
"""The quantities summed over the clusters of two bots."""
_SHIFT: Final = 31
"""The shift of the lower index: a pair (low, high) is low << 31 | high for any number of bots."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """The results of pairs in some clusters: arrays of one length, ordered by cluster and pair."""

    cluster: IntArray
    pair: IntArray
    points: FloatArray
    """w, the points of the bot with the lower number."""
    comparisons: FloatArray
    luck: FloatArray

    def __len__(self) -> int:
        return len(self.cluster)

    def chosen(self, rows: NDArray[np.bool_]) -> "_Rows":
        """Return the rows that a mask selects."""
        return _Rows(*(getattr(self, one.name)[rows] for one in fields(self)))

    def followed_by(self, more: "_Rows") -> "_Rows":
        """Return these rows followed by `more`, whose clusters get the next numbers."""
        first = int(self.cluster[-1]) + 1 if len(self) else 0
        return _Rows(
            np.concatenate([self.cluster, more.cluster + first]),
            *(
                np.concatenate([getattr(self, one.name), getattr(more, one.name)])
                for one in fields(self)[1:]
            ),
        )


def _no_rows() -> _Rows:
    return _Rows(np.empty(0, np.int64), np.empty(0, np.int64), *np.empty((3, 0)))


class ClusterSums:
    """Sums over clusters (blocks, and matches outside blocks) under one score rule.

    Bots are indices, as in an aggregate. Sums of points and comparisons are exact.
    """

    def __init__(self, rule: ScoreRule) -> None:
        self.rule = rule
        self._pairs = np.empty(0, np.int64)
        """Ascending: the pairs that met in clusters of two bots."""
        self._sums: tuple[NDArray[Any], ...] = tuple(np.empty((len(_SUMS), 0)))
        """One row for each of _SUMS, by pair.

        The rows have the narrow types of a checkpoint until more is added.
        """
        self._larger = _no_rows()

    def add(self, tables: Sequence[MatchColumns]) -> None:
        """Add matches; each block must be complete, and no match may be added twice.

        Args:
            tables: The matches, by table size.
        """
        rows = _rows_of(tables, self.rule)
        if not len(rows):
            return
        starts = np.flatnonzero(np.r_[True, rows.cluster[1:] != rows.cluster[:-1]])
        sizes = np.diff(np.r_[starts, len(rows)])
        alone = np.repeat(sizes == 1, sizes)
        self._add_pairs(rows.chosen(alone))
        if not alone.all():
            larger = rows.chosen(~alone)
            numbers = np.repeat(np.arange((sizes > 1).sum()), sizes[sizes > 1])
            renumbered = _Rows(numbers, *(getattr(larger, one.name) for one in fields(larger)[1:]))
            self._larger = self._larger.followed_by(renumbered)

    def products(self, chances: FloatArray, luck_taken: FloatArray | None = None) -> ScoreProducts:
        """Return the sums over all clusters under the given ratings.

        Args:
            chances: (K, K), the probability of i above j.
            luck_taken: (K, K), the amount subtracted from a pair's points per point of its luck;
                None for the official fit.
        """
        count = len(chances)
        middle, links, larger = score_products(self._larger_scores(chances, luck_taken), count)
        low, high = _bots(self._pairs)
        clusters, nn, nw, ww, nx, wx, xx = self._sums
        p = chances[low, high]
        squares = ww - 2.0 * p * nw + p * p * nn
        if luck_taken is not None:
            t = luck_taken[low, high]
            squares += t * (t * xx + 2.0 * (p * nx - wx))
        middle[low, high] -= squares
        middle[high, low] -= squares
        own = np.bincount(low, squares, count) + np.bincount(high, squares, count)
        middle[np.diag_indices(count)] += own
        links[low, high] += clusters
        links[high, low] += clusters
        return ScoreProducts(middle, links, larger + round(float(clusters.sum())))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return all sums and rows for storage; `of_arrays` reads them."""
        larger = {f"larger_{one.name}": getattr(self._larger, one.name) for one in fields(_Rows)}
        sums = {f"pair_{name}": row for name, row in zip(_SUMS, self._sums, strict=True)}
        return {"pairs": self._pairs, **sums, **larger}

    @classmethod
    def of_arrays(cls, rule: ScoreRule, arrays: Mapping[str, NDArray[np.generic]]) -> "ClusterSums":
        """Return the sums that `arrays` stored under `rule`."""
        found = cls(rule)
        found._pairs = arrays["pairs"].astype(np.int64)
        found._sums = tuple(arrays[f"pair_{name}"].copy() for name in _SUMS)
        found._larger = _Rows(
            arrays["larger_cluster"].astype(np.int64),
            arrays["larger_pair"].astype(np.int64),
            arrays["larger_points"].astype(np.float64),
            arrays["larger_comparisons"].astype(np.float64),
            arrays["larger_luck"].astype(np.float64),
        )
        return found

    def _add_pairs(self, rows: _Rows) -> None:
        """Add clusters of two bots, one row each."""
        if not len(rows):
            return
        pairs, inverse = np.unique(rows.pair, return_inverse=True)
        w, n, x = rows.points, rows.comparisons, rows.luck
        terms = (np.ones(len(rows)), n * n, n * w, w * w, n * x, w * x, x * x)
        more = [np.bincount(inverse, term, len(pairs)) for term in terms]
        at = np.searchsorted(self._pairs, pairs)
        known = np.zeros(len(pairs), bool)
        inside = at < len(self._pairs)
        known[inside] = self._pairs[at[inside]] == pairs[inside]
        sums = tuple(np.asarray(row, np.float64) for row in self._sums)
        if not known.all():
            self._pairs = np.insert(self._pairs, at[~known], pairs[~known])
            sums = tuple(np.insert(row, at[~known], 0.0) for row in sums)
            at = np.searchsorted(self._pairs, pairs)
        for row, added in zip(sums, more, strict=True):
            row[at] += added
        self._sums = sums

    def _larger_scores(
        self, chances: FloatArray, luck_taken: FloatArray | None
    ) -> Iterator[ScoreGroup]:
        rows = self._larger
        if not len(rows):
            return
        low, high = _bots(rows.pair)
        surplus = rows.points - rows.comparisons * chances[low, high]
        if luck_taken is not None:
            surplus -= luck_taken[low, high] * rows.luck
        yield from summed_scores(
            np.concatenate([rows.cluster, rows.cluster]),
            np.concatenate([low, high]),
            np.concatenate([surplus, -surplus]),
            len(chances),
        )


def _bots(pairs: IntArray) -> tuple[IntArray, IntArray]:
    return pairs >> _SHIFT, pairs & ((1 << _SHIFT) - 1)


def _rows_of(tables: Sequence[MatchColumns], rule: ScoreRule) -> _Rows:
    parts = [
        _of_seats(table, cluster, a, b, rule)
        for table, cluster in zip(tables, cluster_numbers(tables), strict=True)
        for a, b in combinations(range(table.seats), 2)
    ]
    if not parts:
        return _no_rows()
    cluster, pair, points, comparisons, luck = map(np.concatenate, zip(*parts, strict=True))
    order = np.lexsort((pair, cluster))
    cluster, pair = cluster[order], pair[order]
    new = (cluster[1:] != cluster[:-1]) | (pair[1:] != pair[:-1])
    starts = np.flatnonzero(np.r_[len(order) > 0, new])
    if not len(starts):
        return _no_rows()
    sums = (np.add.reduceat(one[order], starts) for one in (points, comparisons, luck))
    return _Rows(cluster[starts], pair[starts], *sums)


def _of_seats(
    table: MatchColumns, cluster: IntArray, a: int, b: int, rule: ScoreRule
) -> tuple[IntArray, IntArray, FloatArray, FloatArray, FloatArray]:
    """Return (cluster, pair, points, comparisons, luck), each (n,), of one pair of seats."""
    first, second = table.bots[:, a].astype(np.int64), table.bots[:, b].astype(np.int64)
    better, equal, worse = pair_outcomes(rule, table.placings[:, a], table.placings[:, b])
    swapped = first > second
    points = np.where(swapped, worse, better) + 0.5 * equal
    luck = np.zeros(len(table))
    if table.luck is not None:
        luck = pair_luck(table.luck[:, a], table.luck[:, b], table.seats)
    pair = (np.minimum(first, second) << _SHIFT) | np.maximum(first, second)
    comparisons = (better | equal | worse).astype(np.float64)
    return cluster, pair, points, comparisons, np.where(swapped, -luck, luck)
