"""A Brownian motion between two bounds: the chances of its outcomes against known results."""

import math

import numpy as np
import pytest

from arena.rating.elo import normal_cdf
from arena.rating.stopped_walk import StoppedWalk

LOWER, UPPER = -2.0, 3.0


def walk(time: float, at: float) -> StoppedWalk:
    return StoppedWalk(LOWER, UPPER, time, at)


@pytest.mark.parametrize("drift", [-2.0, -0.3, 0.4, 2.5])
def test_in_the_end_it_is_absorbed_as_walds_identity_says(drift: float) -> None:
    # exp(-2 drift W) is a martingale.
    low, high = math.exp(-2 * drift * LOWER), math.exp(-2 * drift * UPPER)
    lower_first = (1 - high) / (low - high)
    assert walk(300, LOWER).chance_of_less(drift) == pytest.approx(lower_first, abs=1e-9)
    assert walk(300, UPPER).chance_of_less(drift) == pytest.approx(lower_first, abs=1e-9)


def test_long_before_a_bound_it_is_a_normal_variable() -> None:
    for drift in (-1.0, 0.0, 1.0):
        found = walk(0.05, 0.1).chance_of_less(drift)
        assert found == pytest.approx(normal_cdf((0.1 - drift * 0.05) / 0.05**0.5), abs=1e-9)


@pytest.mark.parametrize("drift", [-1.0, 0.0, 0.7])
def test_outcomes_are_in_order(drift: float) -> None:
    outcomes = [
        *(walk(time, LOWER) for time in (0.1, 1, 4)),
        *(walk(4, at) for at in (-1.9, 0.0, 2.9)),
        *(walk(time, UPPER) for time in (4, 1, 0.1)),
    ]
    chances = [outcome.chance_of_less(drift) for outcome in outcomes]
    assert chances == sorted(chances)
    assert chances[2] == pytest.approx(walk(4, LOWER + 1e-12).chance_of_less(drift), abs=1e-9)
    assert chances[6] == pytest.approx(walk(4, UPPER - 1e-12).chance_of_less(drift), abs=1e-9)


def test_chances_are_those_of_simulated_walks() -> None:
    random, drift, step, steps = np.random.default_rng(3), 0.4, 0.004, 750
    walks = np.cumsum(random.normal(drift * step, step**0.5, (4000, steps)), axis=1)
    # A walk in steps overshoots a bound by 0.5826 standard deviations of a step (Siegmund 1985).
    over = 0.5826 * step**0.5
    up = np.where(walks >= UPPER - over, np.arange(steps), steps).min(1)
    down = np.where(walks <= LOWER + over, np.arange(steps), steps).min(1)
    by_then = np.mean(down < np.minimum(up, steps))
    assert walk(3, LOWER).chance_of_less(drift) == pytest.approx(by_then, abs=0.02)
    still = (up == steps) & (down == steps)
    less = by_then + np.mean(still & (walks[:, -1] <= 1))
    assert walk(3, 1).chance_of_less(drift) == pytest.approx(less, abs=0.03)


@pytest.mark.parametrize(("time", "at"), [(0.02, UPPER), (1.0, UPPER), (30.0, LOWER), (2.0, 0.5)])
@pytest.mark.parametrize("chance", [0.025, 0.5, 0.975])
def test_a_drift_has_the_chance_that_was_asked_for(time: float, at: float, chance: float) -> None:
    outcome = walk(time, at)
    assert outcome.chance_of_less(outcome.drift(chance)) == pytest.approx(chance, abs=1e-6)
