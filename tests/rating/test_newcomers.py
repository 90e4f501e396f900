"""Do the intervals of a newcomer hold the truth from its first block on? Simulated leagues; more
of them, and of all kinds, in `python -m benchmarks.coverage`."""

import numpy as np
import pytest

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import fit
from arena.rating.elo import Z_95
from arena.rating.intervals import intervals
from benchmarks.coverage import OLD_BOTS, World, simulate

LEAGUES = 150


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seats", "equal"),
    [(2, True), (2, False), (3, False), (6, False)],
    ids=["2-equal", "2-unequal", "3-unequal", "6-unequal"],
)
@pytest.mark.parametrize(
    ("shared", "measured"),
    [(0.0, 0.0), (1.0, 0.0), (0.0, 1.5)],
    ids=["alone", "clustered", "lucky"],
)
@pytest.mark.parametrize("blocks", [1, 10])
def test_a_newcomers_intervals_hold_from_its_first_block_on(
    seats: int, equal: bool, shared: float, measured: float, blocks: int
) -> None:
    world = World(seats, equal, shared, measured)
    for name, held in simulate(world, 200, blocks, LEAGUES, seed=1).items():
        for percent in (held["differences"], held["Elo"], held["rank"]):
            # A share of so many leagues has a standard error of 1.8 %.
            assert percent > 90, name
        if blocks == 10:
            assert held["differences"] < 99, name


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 6])
@pytest.mark.parametrize("blocks", [1, 10])
def test_the_intervals_of_a_new_ladder_hold_too(seats: int, blocks: int) -> None:
    world, rng = World(seats, equal=True), np.random.default_rng([seats, blocks])
    held = []
    for _ in range(LEAGUES):
        log = world.new_ladder(rng, max(1, blocks * OLD_BOTS // seats))
        measured = intervals(fit(Aggregate.of(log)), log)
        upper = np.triu_indices(len(measured.fit.bots), 1)
        miss = np.abs(measured.difference)[upper]
        held.append((miss <= Z_95 * measured.difference_se[upper]).mean())
    assert np.mean(held) > 0.92
