"""Poisson bootstrap of the ratings, a cross-check of the intervals.

Each replicate weights every cluster by a Poisson(1) number and fits the weighted counts (Efron
1979; Chamandy et al. 2012). It shares no formula with the sandwich.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from arena.rating.aggregate import pair_outcomes
from arena.rating.bradley_terry import Fit, maximise
from arena.rating.clusters import fit_indices
from arena.rating.elo import ELO_PER_NAT, FloatArray, IntArray
from arena.rating.links import strong_groups
from arena.rating.methods import Clusters
from arena.rating.results import BotT, Results, cluster_numbers

REPLICATES = 200


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap(Generic[BotT]):
    """Replicates of a fit; columns follow `bots`."""

    bots: tuple[BotT, ...]
    elo: FloatArray
    """(replicates, K), each with mean zero.

    Without a prior, replicates in which some rating was infinite are left out.
    """

    @property
    def se(self) -> FloatArray:
        """(K,): standard error relative to the mean of the pool, Elo."""
        se: FloatArray = self.elo.std(axis=0, ddof=1)
        return se

    def difference_se(self, first: BotT, second: BotT) -> float:
        """Return the standard error of the difference of two bots, Elo."""
        i, j = self.bots.index(first), self.bots.index(second)
        return float((self.elo[:, i] - self.elo[:, j]).std(ddof=1))


def bootstrap(
    fit: Fit[BotT],
    results: Results[BotT],
    rng: np.random.Generator,
    *,
    replicates: int = REPLICATES,
    clusters: Clusters = Clusters.BLOCK,
) -> Bootstrap[BotT]:
    """Return bootstrap replicates of a fit.

    Args:
        fit: The fit; its prior is used, and each replicate starts from its ratings.
        results: The log it was fitted to.
        rng: The source of the Poisson weights.
        replicates: How many replicates to draw.
        clusters: The unit that is weighted.

    Raises:
        ValueError: `clusters` is PAIR (see `resampled`).
    """
    ratings = []
    for score in resampled(fit, results, rng, replicates=replicates, clusters=clusters):
        if fit.prior_sd is None and len(strong_groups(score > 0)) > 1:
            continue
        theta, _ = maximise(score, prior_sd=fit.prior_sd, start=fit.theta)
        ratings.append(ELO_PER_NAT * theta)
    return Bootstrap(fit.bots, np.array(ratings).reshape(-1, len(fit.bots)))


def resampled(
    fit: Fit[BotT],
    results: Results[BotT],
    rng: np.random.Generator,
    *,
    replicates: int = REPLICATES,
    clusters: Clusters = Clusters.BLOCK,
) -> Iterator[FloatArray]:
    """Yield W (K, K), the points i took from j in the weighted log, once per replicate.

    Each replicate costs a pass over all pairs.

    Args:
        fit: The fit, whose bots and score rule are used.
        results: The log it was fitted to.
        rng: The source of the Poisson weights.
        replicates: How many replicates to draw.
        clusters: The unit that is weighted.

    Raises:
        ValueError: `clusters` is PAIR; the pairs of a match are not independent.
    """
    if clusters is Clusters.PAIR:
        raise ValueError("pairs of a match are not independent: no bootstrap over them")
    won, won_by, tied, tied_by = _entries(fit, results, clusters)
    count = len(fit.bots)
    total = 1 + max(int(by.max(initial=-1)) for by in (won_by, tied_by))
    for _ in range(replicates):
        weight = rng.poisson(1.0, total).astype(np.float64)
        wins = np.bincount(won, weight[won_by], minlength=count * count).reshape(count, count)
        ties = np.bincount(tied, weight[tied_by], minlength=count * count).reshape(count, count)
        score: FloatArray = wins + 0.5 * (ties + ties.T)
        yield score


def _entries(
    fit: Fit[BotT], results: Results[BotT], clusters: Clusters
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return (winner * K + loser, its cluster, the same for ties) over the counted pairs."""
    place = fit_indices(fit, results)
    count = len(fit.bots)
    tables = results.tables
    by_block = clusters is not Clusters.MATCH
    by = cluster_numbers(tables) if by_block else [table.numbers for table in tables]
    parts: list[tuple[IntArray, IntArray, NDArray[np.bool_], NDArray[np.bool_]]] = []
    for table, numbers in zip(tables, by, strict=True):
        bots = place[table.bots]
        for a, b in combinations(range(table.seats), 2):
            better, equal, worse = pair_outcomes(
                fit.rule, table.placings[:, a], table.placings[:, b]
            )
            winner = np.where(worse, bots[:, b], bots[:, a])
            loser = np.where(worse, bots[:, a], bots[:, b])
            parts.append((winner * count + loser, numbers, better | worse, equal))
    won = np.concatenate([key[decided] for key, _, decided, _ in parts])
    won_by = np.concatenate([cluster[decided] for _, cluster, decided, _ in parts])
    tied = np.concatenate([key[equal] for key, _, _, equal in parts])
    tied_by = np.concatenate([cluster[equal] for _, cluster, _, equal in parts])
    return won, won_by, tied, tied_by
