"""Confidence sequences hold at all looks together; fixed intervals do not."""

from bisect import bisect_left, bisect_right

import numpy as np
import pytest

from arena.rating.confidence_sequence import confidence_sequence
from arena.rating.elo import Z_95
from arena.rating.head_to_head import wilson
from tests.thoroughness import thorough


def test_without_values_everything_is_possible() -> None:
    assert confidence_sequence(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("total", "count"), [(0, 5), (5, 5), (1.5, 4), (512, 1000), (999, 1000)])
def test_it_holds_the_mean_and_is_wider_than_the_interval_of_one_look(
    total: float, count: int
) -> None:
    low, high = confidence_sequence(total, count)
    ends = wilson(np.array([float(total)]), np.array([float(count)]))
    assert 0 <= low <= total / count <= high <= 1
    assert high - low > float(ends[1][0] - ends[0][0])
    mirrored = confidence_sequence(count - total, count)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_it_narrows_with_more_values() -> None:
    widths = [
        high - low
        for count in (10, 100, 1_000, 100_000)
        for low, high in [confidence_sequence(0.55 * count, count)]
    ]
    assert widths == sorted(widths, reverse=True)
    assert widths[2] == pytest.approx(0.11, abs=0.01)
    assert widths[3] < 0.015


def missed(values: np.ndarray, mean: float, looks: np.ndarray) -> tuple[float, float]:
    """How often a sequence, and a z-interval, ever miss the mean at the looks: [series, match]."""
    sums, squares = np.cumsum(values, axis=1), np.cumsum(values**2, axis=1)
    ever, ever_z = np.zeros(len(values), bool), np.zeros(len(values), bool)
    for at in looks:
        count = at + 1
        # Both ends of an interval grow with the total, so the totals that hold the mean are a run.
        totals, place = np.unique(sums[:, at], return_inverse=True)
        first = bisect_left(totals, mean, key=lambda total: confidence_sequence(total, count)[1])
        end = bisect_right(totals, mean, key=lambda total: confidence_sequence(total, count)[0])
        ever |= (place < first) | (place >= end)
        means = sums[:, at] / count
        errors = np.sqrt(np.maximum(squares[:, at] / count - means**2, 1e-9) / count)
        ever_z |= np.abs(means - mean) > Z_95 * errors
    return float(ever.mean()), float(ever_z.mean())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("points", "shares"),
    [((0.0, 1.0), (0.5, 0.5)), thorough((0.0, 0.5, 1.0), (0.2, 0.2, 0.6))],
)
def test_looking_every_day_misses_in_at_most_a_twentieth_of_all_series(
    points: tuple[float, ...], shares: tuple[float, ...]
) -> None:
    """500 series of 100 days with 20 matches each."""
    random = np.random.default_rng(9)
    values = random.choice(points, (500, 2000), p=shares)
    days = np.arange(19, 2000, 20)
    ever, ever_z = missed(values, float(np.dot(points, shares)), days)
    assert ever <= 0.05
    assert ever_z > 0.25  # a 95 % interval looked at every day


@pytest.mark.slow
def test_so_does_looking_after_every_match() -> None:
    values = np.random.default_rng(10).choice([0.0, 1.0], (1000, 200))
    ever, ever_z = missed(values, 0.5, np.arange(200))
    assert ever <= 0.05
    assert ever_z > 0.3
