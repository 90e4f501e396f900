"""A running sequential test: when it looks, and that its error rates are as stated."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from arena.rating.confidence_sequence import confidence_sequence
from arena.rating.methods import EloModel
from arena.rating.running_sprt import RunningSprt, decided
from arena.rating.sprt import BlockCounts, Bounds, Sprt, SprtState, sprt

QUARTERS = [Fraction(number, 4) for number in range(5)]


def _run(bounds: Bounds, chances: list[float], rng: np.random.Generator) -> Sprt:
    running = RunningSprt(bounds, matches_per_block=2)
    while True:
        for number in rng.choice(5, 200, p=chances):
            result = running.add(QUARTERS[number])
            if result is not None and decided(result):
                return result


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chances", "state"),
    [
        ([0.02, 0.06, 0.34, 0.38, 0.2], SprtState.ACCEPT),
        ([0.2, 0.38, 0.34, 0.06, 0.02], SprtState.REJECT),
    ],
)
def test_a_clear_difference_is_found_in_the_right_direction(
    chances: list[float], state: SprtState
) -> None:
    rng = np.random.default_rng(1)
    assert {_run(Bounds(0, 50), chances, rng).state for _ in range(8)} == {state}


@pytest.mark.slow
def test_equal_versions_are_taken_for_better_as_seldom_as_alpha_says() -> None:
    rng = np.random.default_rng(2)
    level = [0.1, 0.2, 0.4, 0.2, 0.1]
    wrong = sum(_run(Bounds(0, 200), level, rng).state is SprtState.ACCEPT for _ in range(60))
    # 5 % of 60 is 3; more than 8 comes once in two hundred times.
    assert wrong <= 8


@pytest.mark.slow
@pytest.mark.parametrize(("model", "most"), [(EloModel.NORMALIZED, 250), (EloModel.LOGISTIC, 110)])
def test_a_test_of_nothing_but_draws_ends(model: EloModel, most: int) -> None:
    running = RunningSprt(Bounds(0, 30, model), matches_per_block=2)
    looks = (running.add(Fraction(1, 2)) for _ in range(most))
    last = next(result for result in looks if result is not None and decided(result))
    assert last.state is SprtState.REJECT
    assert running.all_ties


@pytest.mark.slow
def test_it_says_what_the_same_counts_say_and_looks_less_and_less_often() -> None:
    rng = np.random.default_rng(3)
    running = RunningSprt(Bounds(-5, 5), matches_per_block=2)
    looked_at, counts = [], [0] * 5
    for block, number in enumerate(rng.choice(5, 1000), start=1):
        counts[number] += 1
        if (result := running.add(QUARTERS[number])) is not None:
            looked_at.append(block)
            assert result.blocks == block
            assert result == sprt(BlockCounts.of_pairs(counts), Bounds(-5, 5))
    assert looked_at[:200] == list(range(1, 201))
    gaps = pairwise(looked_at)
    assert all(later - look <= max(1, look // 100) for look, later in gaps)
    assert not running.all_ties


def test_scores_of_larger_tables_are_taken_as_they_come() -> None:
    running = RunningSprt(Bounds(0, 50), matches_per_block=2)
    for number in range(13):
        running.add(Fraction(number, 12))
    assert set(running.counts) >= {number / 12 for number in range(13)}
    assert sum(running.counts.values()) == 13
    assert running.look().raw.elo == pytest.approx(0, abs=1e-6)


def test_far_bounds_are_tested_like_near_ones() -> None:
    running = RunningSprt(Bounds(0, 5000), matches_per_block=2)
    for _ in range(3):
        running.add(Fraction(1, 2))
    found = running.look()
    assert found.state is SprtState.REJECT


def test_blocks_that_all_tied_are_told() -> None:
    running = RunningSprt(Bounds(0, 50), matches_per_block=2)
    assert running.all_ties is False
    running.add(Fraction(1, 2))
    assert running.all_ties is True
    running.add(Fraction(1))
    assert running.all_ties is False


def test_the_mean_score_lies_within_its_sequence() -> None:
    running = RunningSprt(Bounds(0, 50), matches_per_block=2)
    assert running.mean_score() == (0.5, 0.0, 1.0)
    for score in (Fraction(1), Fraction(1, 2), Fraction(3, 4), Fraction(1, 4)):
        running.add(score)
    mean, low, high = running.mean_score()
    assert mean == 0.625
    assert (low, high) == confidence_sequence(2.5, 4)
