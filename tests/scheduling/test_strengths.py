"""Rough strengths of bots: learnt match by match, for choosing opponents."""

import math
from random import Random

import pytest

from arena.games import make_game
from arena.rating.bradley_terry import PRIOR_SD
from arena.rating.elo import ELO_PER_NAT
from arena.scheduling.ladder import TableType
from arena.scheduling.strengths import PRIOR_VARIANCE, Strengths, chance

TWO = TableType("bluff", make_game("bluff").options, 2)
FOUR = TableType("bluff", make_game("bluff").options, 4)


def test_a_bot_that_nobody_knows_is_average_and_as_uncertain_as_can_be() -> None:
    known = Strengths().of(TWO, 7)
    assert known.mean == 0
    assert known.variance == PRIOR_VARIANCE


def test_strengths_scatter_as_in_the_boards_prior() -> None:
    assert math.sqrt(PRIOR_VARIANCE) * ELO_PER_NAT == pytest.approx(PRIOR_SD)


def test_strengths_come_near_those_by_which_results_are_drawn() -> None:
    rng, strengths, truth = Random(5), Strengths(), [-1.5, 0.0, 0.5, 1.0]
    for _ in range(2_000):
        one, other = rng.sample(range(4), 2)
        won = rng.random() < chance(truth[one], truth[other])
        strengths.learn(TWO, (one, other), (1, 2) if won else (2, 1))
    found = [strengths.of(TWO, bot).mean for bot in range(4)]
    shift = sum(found) / 4
    assert [one - shift for one in found] == pytest.approx(truth, abs=0.3)


def test_a_tie_among_equals_moves_nobody_and_makes_both_surer() -> None:
    strengths = Strengths()
    strengths.learn(FOUR, (1, 2, 3, 4), (1, 1, 1, 1))
    assert [strengths.of(FOUR, bot).mean for bot in (1, 2, 3, 4)] == [0, 0, 0, 0]
    assert strengths.of(FOUR, 1).variance < PRIOR_VARIANCE
    assert strengths.of(TWO, 1).matches == 0, "another table type"


def test_chances_of_bots_far_apart_are_finite() -> None:
    assert math.isclose(chance(1e6, -1e6), 1.0)
    assert 0 < chance(-1e6, 1e6) < 1e-20


def test_to_ask_for_a_bot_leaves_nothing_and_who_played_long_ago_is_forgotten() -> None:
    strengths = Strengths(most=100)
    for bot in range(10_000):
        assert strengths.of(TWO, bot).matches == 0
    assert len(strengths) == 0
    for bot in range(2, 1_000):
        strengths.learn(TWO, (1, bot), (1, 2))
        assert len(strengths) <= 100
    assert strengths.of(TWO, 1).matches == 998
    assert strengths.of(TWO, 999).matches == 1
    assert strengths.of(TWO, 2).matches == 0
