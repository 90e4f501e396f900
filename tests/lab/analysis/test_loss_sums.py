"""Mean losses and their errors from sums."""

from math import inf, sqrt
from random import Random
from statistics import mean, stdev

import pytest

from arena.lab.analysis import LossSums


def matches(seed: int, count: int = 60) -> list[tuple[int, float]]:
    """Long matches are worse ones."""
    random = Random(seed)
    sizes = [random.randint(0, 20) for _ in range(count)]
    return [(size, size * 0.02 + sum(random.random() * 0.1 for _ in range(size))) for size in sizes]


def test_means_and_errors_are_those_of_all_matches_with_decisions() -> None:
    given = matches(1)
    played = [one for one in given if one[0]]
    sums, count = LossSums.of(given), len(played)
    assert 0 < count < len(given) and sums.matches == count
    by_match = [loss for _, loss in played]
    assert sums.by_match == pytest.approx((mean(by_match), 1.96 * stdev(by_match) / sqrt(count)))
    ratio = sum(by_match) / sum(size for size, _ in played)
    residuals = [loss - ratio * size for size, loss in played]
    error = 1.96 * stdev(residuals) / sqrt(count) / mean(size for size, _ in played)
    assert sums.by_decision == pytest.approx((ratio, error))


def test_nineteen_of_twenty_intervals_of_a_decision_hold_the_truth() -> None:
    truth = 0.02 + 0.05
    held = 0
    for seed in range(400):
        found = LossSums.of(matches(seed)).by_decision
        held += abs(found.mean - truth) <= found.error
    assert 0.91 < held / 400 < 0.985


def test_a_single_match_has_no_error() -> None:
    sums = LossSums.of([(4, 0.2)])
    assert sums.by_decision == (0.05, inf)
    assert sums.by_match == (0.2, inf)
