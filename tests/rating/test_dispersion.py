"""The dispersion of scores follows the formula in its docstring."""

import numpy as np
import pytest

from arena.match.score_rule import ScoreRule
from arena.rating.clusters import ScoreProducts
from arena.rating.support import dispersion


def products(seats: int, clusters: int, scatter: float) -> ScoreProducts:
    """Clusters that all bots share, whose scores scatter so much for an information of 1."""
    links = np.full((seats, seats), clusters / (seats - 1))
    np.fill_diagonal(links, 0.0)
    return ScoreProducts(np.diag(np.full(seats, scatter / seats)), links, clusters)


@pytest.mark.parametrize(
    ("rule", "seats", "scatter", "parameters", "expected"),
    [
        (ScoreRule.WINNER, 2, 1.0, 0.0, (10 + 7) / 17),
        (ScoreRule.WINNER, 2, 2.0, 1.0, (20 + 7) / 16),
        (ScoreRule.WINNER, 4, 1.0, 3.0, (30 + 7 * 2) / 34),
        (ScoreRule.PLACEMENT, 4, 1.0, 3.0, (30 + 7 * 5 / 3) / 34),
        # More parameters than directions leave the guess alone to divide by.
        (ScoreRule.PLACEMENT, 2, 1.0, 99.0, (10 + 7) / 7),
    ],
)
def test_the_guess_counts_for_seven_degrees_of_freedom(
    rule: ScoreRule, seats: int, scatter: float, parameters: float, expected: float
) -> None:
    found = dispersion(products(seats, 10, scatter), 1.0, parameters, rule, least=0.0)
    assert found == pytest.approx(expected)


def test_without_information_the_guess_is_left_and_never_less_than_the_least() -> None:
    nothing = products(4, 10, 1.0)
    for least, expected in ((0.0, 7 * 2 / 37), (1.0, 1.0)):
        found = dispersion(nothing, 0.0, 0.0, ScoreRule.WINNER, least=least)
        assert found == pytest.approx(expected)
