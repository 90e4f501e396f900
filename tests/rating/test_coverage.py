"""Do 95 % intervals hold the truth 95 times in a hundred? Simulated leagues, fixed seeds."""

import numpy as np
import pytest

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import fit
from arena.rating.elo import Z_95
from arena.rating.intervals import intervals
from arena.rating.methods import Clusters
from arena.rating.results import Results
from tests.rating.leagues import played, seated, table

LEAGUES = 400
BOTS = 8
STRENGTHS = np.linspace(-200.0, 200.0, BOTS)


def league(rng: np.random.Generator, seats: int, blocks: int, matches: int) -> Results[int]:
    """Blocks of `matches` matches of the same bots, who share half their luck in a block; ties."""
    who = np.repeat(seated(rng, BOTS, blocks, seats), matches, axis=0)
    shared = np.repeat(rng.normal(size=(blocks, seats)), matches, axis=0) if matches > 1 else 0.0
    placings = played(rng, STRENGTHS, who, grain=1.0, luck=shared)
    numbers = np.repeat(np.arange(blocks), matches) if matches > 1 else None
    return Results.of_tables(range(BOTS), [table(who, placings, numbers)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seats", "blocks", "matches"), [(2, 250, 4), (6, 150, 1), (6, 60, 6)], ids=str
)
def test_intervals_hold_the_truth_as_often_as_they_say_and_naive_ones_do_not(
    seats: int, blocks: int, matches: int
) -> None:
    rng = np.random.default_rng(seats * 1000 + matches)
    # The truth is what an endless league of this kind would show.
    truth = fit(Aggregate.of(league(rng, seats, 100_000, matches)), prior_sd=None).elo
    true_difference = truth[:, None] - truth[None, :]
    held = {Clusters.BLOCK: 0, Clusters.PAIR: 0}
    upper = np.triu_indices(BOTS, 1)
    for _ in range(LEAGUES):
        log = league(rng, seats, blocks, matches)
        fitted = fit(Aggregate.of(log))
        for clusters in held:
            measured = intervals(fitted, log, clusters)
            miss = np.abs(measured.difference - true_difference)[upper]
            held[clusters] += int((miss <= Z_95 * measured.difference_se[upper]).sum())
    coverage = {clusters: hits / (LEAGUES * len(upper[0])) for clusters, hits in held.items()}
    assert 0.93 <= coverage[Clusters.BLOCK] <= 0.97, coverage
    assert coverage[Clusters.PAIR] < 0.90, coverage
