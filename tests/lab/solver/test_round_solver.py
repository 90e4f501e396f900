"""Rounds against the literature, a linear program and the rules."""

from dataclasses import replace

import numpy as np
import pytest

from arena.games.bluff.values import STAR, Bet, Face
from arena.lab.solver import (
    RoundGame,
    RoundSolver,
    Strategy,
    ValueBounds,
    match_round,
    proven_bounds,
    single_round,
    solve_matches,
    solve_round,
)
from tests.lab.solver import enumeration, linear_program

LATER = {
    (1, 1): ValueBounds(0.4, 0.5),
    (1, 2): ValueBounds(0.1, 0.2),
    (2, 1): ValueBounds(0.7, 0.9),
}


def with_few_bets(game: RoundGame, bets: int) -> RoundGame:
    return replace(
        game,
        bets=game.bets[:bets],
        matching=(game.matching[0][:bets], game.matching[1][:bets]),
        payoffs=game.payoffs[:bets],
    )


def bounds_after(game: RoundGame, iterations: int) -> ValueBounds:
    solver = RoundSolver(game)
    for _ in range(iterations):
        solver.iterate()
    return proven_bounds(game, solver.strategy())


def test_what_follows_a_doubt_is_by_the_rules() -> None:
    duel = match_round((1, 1), {})
    two_threes = duel.bets.index(Bet(2, Face.THREE))
    # BL-E11: exact, so the seat that did not bet loses its only die.
    assert duel.payoffs[two_threes, 1, 1, 1] == 0
    assert duel.payoffs[two_threes, 0, 1, 1] == 1
    # Too high: the bettor loses (BL-22).
    assert duel.payoffs[two_threes, 1, 0, 1] == 1
    game = match_round((1, 2), LATER)
    one_two = game.bets.index(Bet(1, Face.TWO))
    # Too low by one: the doubter loses a die, and the bettor opens (BL-20, BL-24).
    assert game.payoffs[one_two, 0, 1, 1] == pytest.approx(0.45)
    # The other bet exactly: the opener loses its only die (BL-21).
    assert game.payoffs[one_two, 1, 0, 1] == 0
    # The other bet too high by one: it loses a die, and the doubter opens (BL-22, BL-24).
    assert game.payoffs[one_two, 1, 0, 0] == pytest.approx(0.45)
    assert match_round((1, 2), LATER, "low").payoffs[one_two, 0, 1, 1] == pytest.approx(0.4)
    bigger = match_round((2, 1), LATER)
    # Exact, bet by the other: the opener loses one of two, and the other opens (BL-21, BL-24).
    assert bigger.payoffs[one_two, 1, 0, 1] == pytest.approx(1 - 0.45)
    assert match_round((2, 1), LATER, "low").payoffs[one_two, 1, 0, 1] == pytest.approx(0.5)


def test_bets_and_hands_are_those_of_the_rules() -> None:
    game = single_round((1, 2))
    assert [len(hands) for hands in game.hands] == [6, 21]
    assert [chances.sum() for chances in game.chances] == pytest.approx([1, 1])
    assert len(game.bets) == 18
    assert game.bets[5] == Bet(1, STAR)  # BL-13: star 1 stands between numbers 1 and 2


def test_the_uniform_strategy_is_as_exploitable_as_openspiel_says() -> None:
    game = single_round((1, 1))
    solver = RoundSolver(game)
    low, high = proven_bounds(game, solver.strategy())
    assert high - low == pytest.approx(1.561488646384479, abs=1e-12)


def test_a_hundred_iterations_are_at_least_as_good_as_openspiels() -> None:
    low, high = bounds_after(single_round((1, 1)), 100)
    assert (high - low) / 2 <= 0.004908


def test_one_die_against_one_has_the_value_of_the_literature() -> None:
    solved = solve_round((1, 1), width=1e-4)
    assert solved.bounds.low <= -7 / 258 <= solved.bounds.high
    assert solved.bounds.high - solved.bounds.low <= 1e-4
    assert solved.value == pytest.approx(-7 / 258, abs=2e-5)
    match = solve_matches([(1, 1)], width=1e-4)[1, 1]
    assert match.value == pytest.approx((1 - 7 / 258) / 2, abs=2e-5)


@pytest.mark.parametrize("dice", [(1, 1), (1, 2), (2, 1)])
@pytest.mark.parametrize("bets", [1, 2, 5])
def test_small_rounds_have_the_value_of_a_linear_program(dice: tuple[int, int], bets: int) -> None:
    for game in (single_round(dice), match_round(dice, LATER)):
        few = with_few_bets(game, bets)
        low, high = bounds_after(few, 1_000)
        value = linear_program.value_of(few)
        assert low - 1e-9 <= value <= high + 1e-9
        assert high - low < 2e-3


@pytest.mark.parametrize("places", [(0, 1), (2, 5), (4, 9), (5, 11)])
def test_a_duel_with_two_bets_has_the_value_of_all_pure_strategies(places: tuple[int, int]) -> None:
    game = match_round((1, 1), {})
    low, high = (game.bets[place] for place in places)
    two = replace(
        game,
        bets=(low, high),
        matching=(game.matching[0][[*places]], game.matching[1][[*places]]),
        payoffs=game.payoffs[[*places]],
    )
    table = enumeration.results(low, high)
    value = enumeration.value_of(table)
    bounds = bounds_after(two, 1_000)
    assert bounds.low - 1e-9 <= value <= bounds.high + 1e-9
    assert bounds.high - bounds.low < 2e-3
    assert linear_program.value_of(two) == pytest.approx(value, abs=1e-9)
    # Before the first iteration all actions are equally likely: so are all pure strategies.
    uniform = proven_bounds(two, RoundSolver(two).strategy())
    assert uniform == pytest.approx((table.mean(0).min(), table.mean(1).max()), abs=1e-12)
    assert uniform.high - uniform.low > 0.05


def test_more_iterations_close_in() -> None:
    widths = [
        high - low for low, high in (bounds_after(single_round((1, 1)), n) for n in (30, 300))
    ]
    assert widths[1] < widths[0] / 5


def test_the_bounds_hold_for_any_strategy() -> None:
    game = single_round((1, 1))
    random = np.random.default_rng(1)
    shapes = RoundSolver(game).strategy()
    for _ in range(20):
        opener, other = (random.random(len(table)) ** 4 for table in shapes.weights)
        low, high = proven_bounds(game, Strategy((opener, other)))
        assert low < -7 / 258 < high


def test_three_dice_in_play_are_solved() -> None:
    solved = solve_matches([(1, 2)], width=2e-3)[1, 2]
    assert solved.bounds.high - solved.bounds.low <= 2e-3
    assert solved.bounds.low < 0.205868 < solved.bounds.high


def test_regrets_that_almost_vanish_do_no_harm() -> None:
    game = single_round((1, 1))
    solver = RoundSolver(game)
    for table in solver.strategy().weights:
        table[:] = 1e-40
    low, high = proven_bounds(game, solver.strategy())
    assert high - low == pytest.approx(1.561488646384479, abs=1e-12)
