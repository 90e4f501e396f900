"""What blocks save: known factors are found, with intervals that hold them."""

import numpy as np
import pytest

from arena.rating.errors import RatingError
from arena.rating.variance_factor import FEWEST_BLOCKS, variance_factor


def _pairs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Blocks of two matches between two bots, from the first bot's scores."""
    return np.stack([np.stack([score, 1 - score], axis=1) for score in (first, second)], axis=1)


def _correlated(rng: np.random.Generator, blocks: int, same: float) -> np.ndarray:
    """Wins and losses whose second match is the first's opposite with a chance of `same`: the mean
    of a block then has (1 - same) times the variance of two independent matches' mean."""
    first = rng.integers(0, 2, blocks).astype(float)
    fresh = rng.integers(0, 2, blocks).astype(float)
    return _pairs(first, np.where(rng.random(blocks) < same, 1 - first, fresh))


@pytest.mark.parametrize("same", [0.0, 0.3, 0.8])
def test_the_interval_holds_the_true_factor_as_often_as_it_says(same: float) -> None:
    rng = np.random.default_rng(5)
    factors = [variance_factor(_correlated(rng, 200, same)) for _ in range(400)]
    held = sum(f is not None and f.interval[0] <= 1 - same <= f.interval[1] for f in factors)
    assert 0.90 <= held / len(factors) <= 0.98
    mean = np.mean([f.factor for f in factors if f is not None])
    assert mean == pytest.approx(1 - same, abs=0.015)


def test_blocks_that_always_end_level_have_a_factor_of_exactly_zero() -> None:
    first = np.random.default_rng(1).integers(0, 3, 50) / 2
    found = variance_factor(_pairs(first, 1 - first))
    assert found is not None
    assert (found.factor, found.interval) == (0.0, (0.0, 0.0))
    assert (found.blocks, found.matches_per_block) == (50, 2)


def test_an_advantage_of_position_is_luck_that_rotation_removes() -> None:
    # Whoever sits first wins two matches of three: in random seats that is noise, in blocks it is
    # none. Variance of a match 1/4, within a seat 2/9.
    rng = np.random.default_rng(2)
    first, second = rng.random(40_000) < 2 / 3, rng.random(40_000) < 1 / 3
    found = variance_factor(_pairs(first.astype(float), second.astype(float)))
    assert found is not None
    assert found.factor == pytest.approx(8 / 9, abs=0.02)


def test_without_enough_blocks_or_any_difference_there_is_no_factor() -> None:
    few = _correlated(np.random.default_rng(3), FEWEST_BLOCKS - 1, 0.5)
    assert variance_factor(few) is None
    assert variance_factor(_pairs(np.ones(100), np.ones(100))) is None
    assert variance_factor(np.empty((0, 2, 2))) is None
    with pytest.raises(RatingError):
        variance_factor(np.ones((100, 1, 2)))


def test_the_error_is_that_of_a_ratio_of_sums() -> None:
    """By linearisation (Cochran, section 6.3), here written out for blocks of one bot's scores."""
    scores = _correlated(np.random.default_rng(2), 40, 0.3)
    found = variance_factor(scores)
    assert found is not None
    deviations = scores - scores.mean(axis=(0, 1))
    means = 2 * (deviations.mean(axis=1) ** 2).sum(axis=1) * 40 / 39 * (1 - 1 / 80)
    matches = (deviations**2).mean(axis=1).sum(axis=1)
    residuals = means - means.sum() / matches.sum() * matches
    error = np.sqrt((residuals**2).sum() * 40 / 39) / matches.sum()
    half = (found.interval[1] - found.interval[0]) / 2
    assert half == pytest.approx(1.959964 * error, rel=1e-6)
