"""Clusters of dependent results, and their score vectors.

The pairs of one match share its luck, and the matches of one block share their deal or their
table: only whole clusters are independent of each other.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from arena.rating.aggregate import pair_outcomes
from arena.rating.bradley_terry import Fit
from arena.rating.elo import FloatArray, IntArray, win_probabilities
from arena.rating.luck_sums import pair_luck
from arena.rating.methods import Clusters, ScoreRule
from arena.rating.results import NO_BLOCK, BotT, MatchColumns, Results

ScoreGroup: TypeAlias = tuple[IntArray, FloatArray]
"""(bots, scores), both (n, d): n clusters that touch d bots each, by the indices of a fit."""


class ScoreProducts(NamedTuple):
    """Sums over independent clusters of results."""

    middle: FloatArray
    """(K, K): the sum of u u^T over the clusters' score vectors u."""
    links: FloatArray
    """(K, K): the number of clusters that two bots share, each counted as 1 / (its bots - 1).

    So the row of a bot sums to the number of its clusters. The diagonal is 0.
    """
    clusters: int
    """The number of clusters."""


def fit_indices(fit: Fit[BotT], results: Results[BotT]) -> IntArray:
    """Return each log bot's index in the fit.

    Returns:
        (bots of the log,) indices into `fit.bots`.

    Raises:
        KeyError: A bot of the log is not in the fit.
    """
    place = {bot: index for index, bot in enumerate(fit.bots)}
    return np.array([place[bot] for bot in results.bots], np.int64)


def match_scores(
    table: MatchColumns,
    bots: IntArray,
    chances: FloatArray,
    rule: ScoreRule,
    luck_taken: FloatArray | None = None,
) -> FloatArray:
    """Return each seat's score: points taken - points expected, summed over its pairs of the match.

    Args:
        table: The n matches of s seats.
        bots: (n, s) indices into `chances` and `luck_taken`.
        chances: (K, K), the probability of i above j.
        rule: The score rule that decides which pairs count.
        luck_taken: (K, K), the coefficients with which the luck of each pair is subtracted from its
            points; None to subtract nothing.

    Returns:
        (n, s) scores; each row sums to zero.
    """
    scores = np.zeros(bots.shape)
    for a, b in combinations(range(table.seats), 2):
        better, equal, worse = pair_outcomes(rule, table.placings[:, a], table.placings[:, b])
        surplus = better + 0.5 * equal - chances[bots[:, a], bots[:, b]]
        surplus[~(better | equal | worse)] = 0.0
        if luck_taken is not None and table.luck is not None:
            x = pair_luck(table.luck[:, a], table.luck[:, b], table.seats)
            surplus -= luck_taken[bots[:, a], bots[:, b]] * x
        scores[:, a] += surplus
        scores[:, b] -= surplus
    return scores


def score_groups(
    fit: Fit[BotT],
    results: Results[BotT],
    clusters: Clusters,
    luck_taken: FloatArray | None = None,
) -> Iterator[ScoreGroup]:
    """Yield the score vectors u_c of all clusters, grouped by the clusters' number of bots.

    Args:
        fit: The fit whose probabilities are expected.
        results: The log it was fitted to.
        clusters: BLOCK or MATCH, not PAIR.
        luck_taken: See `match_scores`.
    """
    chances = win_probabilities(fit.theta)
    place = fit_indices(fit, results)
    shared: list[tuple[IntArray, IntArray, FloatArray]] = []
    for table in results.tables:
        bots = place[table.bots]
        scores = match_scores(table, bots, chances, fit.rule, luck_taken)
        alone = table.blocks == NO_BLOCK
        if clusters is Clusters.MATCH or alone.all():
            yield bots, scores
            continue
        yield bots[alone], scores[alone]
        block = np.repeat(table.blocks[~alone], table.seats)
        shared.append((block, bots[~alone].ravel(), scores[~alone].ravel()))
    if shared:
        block, bot, score = (np.concatenate(parts) for parts in zip(*shared, strict=True))
        yield from summed_scores(block, bot, score, len(fit.bots))


def summed_scores(
    block: IntArray, bot: IntArray, score: FloatArray, count: int
) -> Iterator[ScoreGroup]:
    """Yield each bot's scores summed within a block, grouped by the blocks' number of bots.

    Args:
        block: (n,) the block of each part of a score vector.
        bot: (n,) the bot of each part.
        score: (n,) the parts.
        count: The number of all bots.
    """
    key = block * count + bot
    order = np.argsort(key, kind="stable")
    key, score = key[order], score[order]
    starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])
    key, score = key[starts], np.add.reduceat(score, starts)
    first = np.flatnonzero(np.r_[True, key[1:] // count != key[:-1] // count])
    sizes = np.diff(np.r_[first, len(key)])
    for size in np.unique(sizes).tolist():
        at = first[sizes == size][:, None] + np.arange(size)
        yield key[at] % count, score[at]


def score_products(groups: Iterator[ScoreGroup], count: int) -> ScoreProducts:
    """Return the sums over all clusters of `count` bots; computed in pieces to limit memory."""
    upper, whole = np.zeros((2, count * count)), np.zeros((2, count, count))
    clusters = 0
    for bots, scores in groups:
        size = bots.shape[1]
        share = 1.0 / max(1, size - 1)
        clusters += len(bots)
        # Where clusters touch many of the bots, a matrix product is faster.
        dense = 8 * size > count
        rows, columns = np.triu_indices(size)
        piece = max(1, 4_000_000 // (count if dense else len(rows)))
        for start in range(0, len(bots), piece):
            some, u = bots[start : start + piece], scores[start : start + piece]
            if dense:
                whole[0] += _square(some, u, count)
                whole[1] += share * _square(some, np.ones(u.shape), count)
            else:
                key = (some[:, rows] * count + some[:, columns]).ravel()
                product = (u[:, rows] * u[:, columns]).ravel()
                upper[0] += np.bincount(key, product, minlength=count * count)
                upper[1] += share * np.bincount(key, minlength=count * count)
    half = upper.reshape(2, count, count)
    middle, links = whole + half + half.transpose(0, 2, 1)
    middle[np.diag_indices(count)] -= np.diag(half[0])
    np.fill_diagonal(links, 0.0)
    return ScoreProducts(middle, links, clusters)


def _square(bots: IntArray, values: FloatArray, count: int) -> FloatArray:
    """Return the sum of v v^T (count, count) over the vectors v that have `values` at `bots`."""
    spread = np.zeros((len(bots), count))
    np.put_along_axis(spread, bots, values, axis=1)
    product: FloatArray = spread.T @ spread
    return product
