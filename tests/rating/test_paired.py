"""Differences of paired results: intervals that hold, and luck that is taken out."""

import numpy as np
import pytest

from arena.rating.errors import RatingError
from arena.rating.paired import adjusted_difference, paired_difference


def held(blocks: int, shared: float, *, luck: bool) -> tuple[float, float]:
    """How many intervals hold the truth, -0.2, and their mean width, with so much shared chance.

    With `luck` it is taken out where it can be.
    """
    random = np.random.default_rng(1)
    inside, widths = [], []
    for _ in range(1000):
        of_both = random.normal(size=blocks)
        own = random.normal(size=(2, blocks))
        chance = shared * of_both + np.sqrt(1 - shared**2) * own
        # A standard normal is above 0.2533 with probability 0.4, and below it with 0.6.
        one, other = (chance > [[0.2533], [-0.2533]]).astype(float)
        found = paired_difference(one, other)
        if luck:
            found = adjusted_difference(one, other, (chance + 0.3 * own).T) or found
        inside.append(found.low <= -0.2 <= found.high)
        widths.append(found.high - found.low)
    return float(np.mean(inside)), float(np.mean(widths))


@pytest.mark.parametrize("blocks", [20, 100])
@pytest.mark.parametrize("shared", [0.0, 0.8])
def test_intervals_of_a_difference_hold_and_are_narrower_for_what_is_shared_and_known(
    blocks: int, shared: float
) -> None:
    plain, width = held(blocks, shared, luck=False)
    known, narrow = held(blocks, shared, luck=True)
    assert 0.93 <= plain <= 0.98 and 0.92 <= known <= 0.98
    assert narrow < 0.9 * width
    assert shared == 0 or width < 0.8 * held(blocks, 0.0, luck=False)[1]


def test_blocks_without_a_difference_leave_doubt_that_shrinks() -> None:
    one, some, many = (paired_difference(np.ones(n), np.ones(n)) for n in (1, 10, 1000))
    assert one.difference == some.difference == many.difference == 0
    assert one.high > 0.7 > 0.2 > some.high > 0.01 > many.high > 0
    assert some.low == pytest.approx(-some.high)
    assert adjusted_difference(np.ones(30), np.ones(30), np.ones((30, 1))) is None


@pytest.mark.parametrize("estimates", [1, 5])
def test_intervals_hold_where_few_blocks_differ(estimates: int) -> None:
    """Intervals by the regression alone: 0.89 hold with one estimate of luck, 0.81 with five."""
    random, inside = np.random.default_rng(2), 0
    for _ in range(500):
        chance, noise = random.normal(size=(2, 40)), random.normal(size=(2, 40, estimates))
        alike = random.random(40) >= 0.05
        chance[1, alike], noise[1, alike] = chance[0, alike], noise[0, alike]
        one, other = (chance > 0).astype(float)
        luck = np.hstack(list(0.8 * chance[:, :, None] + 0.6 * noise))
        found = adjusted_difference(one, other, luck) or paired_difference(one, other)
        inside += found.low <= 0 <= found.high
    assert inside / 500 >= 0.95


def test_luck_is_taken_out_where_five_blocks_differ_and_it_gains_something() -> None:
    random = np.random.default_rng(3)
    luck, one = random.normal(size=(40, 1)), np.ones(40)
    assert adjusted_difference(one, np.where(np.arange(40) < 4, 0.0, one), luck) is None
    five = np.where(luck[:, 0] >= np.sort(luck[:, 0])[-5], 0.0, one)
    found = adjusted_difference(one, five, luck)
    assert found is not None and found.variance_factor < 1
    assert adjusted_difference(one, five, np.zeros((40, 1))) is None
    # That all blocks but a few differ by the same is no better.
    assert adjusted_difference(one, np.where(np.arange(40) < 4, one, 0.0), luck) is None


def test_few_blocks_are_not_adjusted_and_none_refused() -> None:
    ends = np.array([0.0, 1.0] * 5)
    assert adjusted_difference(ends, 1 - ends, ends[:, None]) is None
    with pytest.raises(RatingError):
        paired_difference(ends[:0], ends[:0])
