"""Points from placings."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.score_rule import ScoreRule
from arena.scheduling.scoring import block_points, points, ranks, walkover

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


@pytest.mark.parametrize(
    ("placing", "placement", "winner"),
    [
        ((1, 2), (1, 0), (1, 0)),
        ((1, 1), (HALF, HALF), (HALF, HALF)),
        ((2, 1, 3), (HALF, 1, 0), (0, 1, 0)),
        ((1, 1, 3), (Fraction(3, 4), Fraction(3, 4), 0), (HALF, HALF, 0)),
        ((1, 2, 2, 4), (1, HALF, HALF, 0), (1, 0, 0, 0)),
        ((1, 1, 1), (HALF, HALF, HALF), (THIRD, THIRD, THIRD)),
    ],
)
def test_points_follow_the_rule(
    placing: tuple[int, ...], placement: tuple[Fraction, ...], winner: tuple[Fraction, ...]
) -> None:
    assert points(placing, ScoreRule.PLACEMENT) == placement
    assert points(placing, ScoreRule.WINNER) == winner


@given(st.lists(st.integers(1, 6), min_size=2, max_size=6), st.sampled_from(ScoreRule))
def test_a_match_gives_away_the_same_points_whatever_happens(
    keys: list[int], rule: ScoreRule
) -> None:
    placing = [1 + sum(other < key for other in keys) for key in keys]
    wanted = Fraction(len(keys), 2) if rule is ScoreRule.PLACEMENT else Fraction(1)
    assert sum(points(placing, rule)) == wanted


def test_a_block_is_worth_the_mean_of_its_matches() -> None:
    assert block_points([(1, 2), (1, 1)], ScoreRule.WINNER) == (Fraction(3, 4), Fraction(1, 4))


def test_whoever_withdrew_is_last_and_the_others_are_level() -> None:
    assert walkover([False, True], ScoreRule.PLACEMENT) == (Fraction(1), Fraction(0))
    assert walkover([False, False, True], ScoreRule.WINNER) == (HALF, HALF, Fraction(0))
    assert walkover([True, True], ScoreRule.PLACEMENT) == (HALF, HALF)


def test_higher_totals_rank_first() -> None:
    assert ranks([HALF, Fraction(1), HALF]) == (2, 1, 2)
