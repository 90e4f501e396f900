"""The exact model with ties, against the published example, another library and brute force."""

import itertools
import math

import choix
import numpy as np
import pytest

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import fit
from arena.rating.errors import RatingError, UnboundedRatingError
from arena.rating.intervals import intervals
from arena.rating.ladder import rate
from arena.rating.methods import ScoreRule
from arena.rating.misfit import expected_scores, misfit
from arena.rating.plackett_luce import plackett_luce
from arena.rating.results import MatchResult, Results
from tests.rating.leagues import random_results

# Davidson 1970, example 2: pairs of six brands of chocolate pudding; the data as in R's
# PlackettLuce ("pudding"): i, j, i preferred, j preferred, no preference.
PUDDING = [
    (1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13),
    (2, 4, 23, 19, 9), (3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12),
    (3, 5, 16, 15, 17), (4, 5, 17, 14, 16), (1, 6, 18, 21, 12), (2, 6, 22, 20, 12),
    (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12),
]  # fmt: skip


def test_six_puddings_have_the_published_worth() -> None:
    log: Results[int] = Results()
    for i, j, wins, losses, ties in PUDDING:
        for places, times in (((1, 2), wins), ((2, 1), losses), ((1, 1), ties)):
            for n in range(times):
                log.append(MatchResult((i, j, places, n), ((i, places[0]), (j, places[1]))))
    found = plackett_luce(log, prior_sd=None)
    worth = np.exp(found.theta) / np.exp(found.theta).sum()
    by_brand = [worth[found.bots.index(brand)] for brand in range(1, 7)]
    # Davidson stopped iterating a little early: his digits agree to four or five.
    printed = (0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855)
    assert by_brand == pytest.approx(printed, abs=2.5e-5)
    assert found.ties == pytest.approx({1: 1.0, 2: 0.7468147}, abs=1e-5)
    assert -2 * found.log_likelihood == pytest.approx(1619.4, abs=0.05)


def test_two_bots_are_solved_by_hand() -> None:
    # w wins, l losses, t ties: strengths w : l, delta = t / sqrt(w l).
    places = [(1, 2)] * 16 + [(2, 1)] * 4 + [(1, 1)] * 12
    log = Results.of_rows((n, None, [("A", a), ("B", b)]) for n, (a, b) in enumerate(places))
    found = plackett_luce(log, prior_sd=None)
    assert found.theta[0] - found.theta[1] == pytest.approx(math.log(4), abs=1e-6)
    assert found.ties[2] == pytest.approx(12 / 8, abs=1e-6)


def test_without_ties_the_strengths_are_those_of_choix() -> None:
    log = random_results(np.random.default_rng(31), bots=6, matches=300, seats=(3, 6), grain=0.0)
    rankings = [
        [bot for bot, _ in sorted(match.seats, key=lambda seat: seat[1])] for match in log.matches()
    ]
    theirs = choix.ilsr_rankings(6, rankings, alpha=0.0, tol=1e-10)
    found = plackett_luce(log, prior_sd=None)
    assert [found.theta[found.bots.index(bot)] for bot in range(6)] == pytest.approx(
        theirs - theirs.mean(), abs=1e-5
    )


def weak_orders(bots: tuple[int, ...]) -> list[tuple[tuple[int, ...], ...]]:
    if not bots:
        return [()]
    return [
        (first, *rest)
        for size in range(1, len(bots) + 1)
        for first in itertools.combinations(bots, size)
        for rest in weak_orders(tuple(bot for bot in bots if bot not in first))
    ]


def probability(order: tuple[tuple[int, ...], ...], theta: np.ndarray, ties: dict) -> float:
    """The formula, letter by letter."""

    def f(chosen: tuple[int, ...]) -> float:
        return ties.get(len(chosen), 0.0) * math.exp(sum(theta[list(chosen)]) / len(chosen))

    product = 1.0
    for stage, chosen in enumerate(order):
        left = tuple(bot for place in order[stage:] for bot in place)
        product *= f(chosen) / sum(
            f(some)
            for size in range(1, len(left) + 1)
            for some in itertools.combinations(left, size)
        )
    return product


def test_the_likelihood_is_the_formula_written_out_and_at_its_maximum() -> None:
    log = random_results(np.random.default_rng(32), bots=5, matches=60, seats=(2, 3, 4), grain=1.5)
    found = plackett_luce(log, prior_sd=None)
    assert max(found.ties) >= 3

    def likelihood(theta: np.ndarray, ties: dict[int, float]) -> float:
        total = 0.0
        for match in log.matches():
            places = sorted({place for _, place in match.seats})
            order = tuple(
                tuple(found.bots.index(bot) for bot, at in match.seats if at == place)
                for place in places
            )
            total += math.log(probability(order, theta, ties))
        return total

    best = likelihood(found.theta, found.ties)
    assert found.log_likelihood == pytest.approx(best)
    for index in range(5):
        for nudge in (-1e-3, 1e-3):
            moved = found.theta.copy()
            moved[index] += nudge
            assert likelihood(moved, found.ties) < best
    for size in found.ties:
        for factor in (0.999, 1.001):
            if size > 1:
                moved_ties = found.ties | {size: found.ties[size] * factor}
                assert likelihood(found.theta, moved_ties) < best


def test_expected_points_are_those_of_all_rankings_listed() -> None:
    theta, ties = np.array([0.8, -0.5, 0.1, -0.4]), {1: 1.0, 2: 0.4, 4: 0.1}
    expected = np.zeros((4, 4))
    total = 0.0
    for order in weak_orders((0, 1, 2, 3)):
        chance = probability(order, theta, ties)
        total += chance
        place = {bot: at for at, bots in enumerate(order) for bot in bots}
        for i, j in itertools.permutations(range(4), 2):
            points = 1.0 if place[i] < place[j] else 0.5 if place[i] == place[j] else 0.0
            expected[i, j] += chance * points
    assert total == pytest.approx(1.0)
    assert expected_scores(theta[None, :], ties)[0] == pytest.approx(expected)


def test_without_ties_the_board_and_the_exact_model_agree() -> None:
    log = random_results(np.random.default_rng(33), bots=10, matches=3000, grain=0.0)
    found = misfit(rate(log).intervals, log)
    assert not found.misfit
    assert found.implied == pytest.approx(found.shown, abs=10.0)


def test_at_two_seats_without_ties_the_exact_model_is_that_of_the_board() -> None:
    log = random_results(np.random.default_rng(35), bots=4, matches=30, seats=(2,), grain=0.0)
    board = fit(Aggregate.of(log), prior_sd=100.0)
    exact = plackett_luce(log, prior_sd=100.0)
    assert dict(zip(exact.bots, exact.theta, strict=True)) == pytest.approx(
        dict(zip(board.bots, board.theta, strict=True)), abs=1e-5
    )
    freely = fit(Aggregate.of(log), prior_sd=None)
    found = misfit(intervals(freely, log), log)
    assert found.implied == pytest.approx(found.shown, abs=0.01)


def test_a_bot_that_plays_another_game_at_large_tables_is_a_misfit() -> None:
    # Bot 0 is either first or last at six seats: no strength can say so.
    rng = np.random.default_rng(34)
    log: Results[int] = Results()
    for n in range(2000):
        strengths = np.arange(1, 8) / 3 + rng.gumbel(size=7)
        seated = rng.permutation(7)[:5]
        others = (1 + seated[np.argsort(-strengths[seated])]).tolist()
        order = [0, *others] if n % 5 == 0 else [*others, 0]
        log.append(MatchResult(n, tuple((bot, place + 1) for place, bot in enumerate(order))))
    found = misfit(rate(log).intervals, log)
    assert found.misfit
    assert found.displaced[found.bots.index(0)]


def test_what_the_exact_model_cannot_do_is_refused() -> None:
    log = Results.of_rows([("1", None, [("A", 1), ("B", 2)])])
    with pytest.raises(UnboundedRatingError, match="B"):
        plackett_luce(log, prior_sd=None)
    with pytest.raises(RatingError, match="no matches"):
        plackett_luce(Results[str]())
    fitted = fit(Aggregate.of(log, ScoreRule.WINNER))
    with pytest.raises(RatingError, match="whole placings"):
        misfit(intervals(fitted, log), log)
    with pytest.raises(RatingError, match="too large"):
        expected_scores(np.zeros((1, 9)), {1: 1.0})
