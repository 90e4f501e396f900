"""Options as inputs: who opens and what a match is worth, against all starting rolls."""

from fractions import Fraction
from typing import Any

import pytest

from arena.games import make_game
from arena.games.bluff import BluffOptions
from arena.games.bluff.state import BluffPhase
from arena.games.game import DEALER
from arena.lab.solver import (
    OptionsNotSolvedError,
    ValueBounds,
    check_options,
    match_value,
    solve_matches,
    states_of_match,
)


def chance_to_open(game: Any, state: Any) -> Fraction:
    """How often seat 0 opens round 1, over all outcomes of all starting rolls."""
    if state.phase is BluffPhase.ROLL:
        return Fraction(state.opener == 0)
    outcomes: dict[Any, Fraction] = game.chance_outcomes(state)
    return sum(
        (
            chance * chance_to_open(game, game.apply(state, DEALER, draw))
            for draw, chance in outcomes.items()
        ),
        Fraction(0),
    )


@pytest.mark.parametrize("star", [0, 5, 6])
@pytest.mark.parametrize(("dice", "rerolls"), [(1, 0), (1, 2), (2, 0)])
def test_whatever_a_star_counts_in_the_starting_roll_either_seat_opens_equally_often(
    star: int, dice: int, rerolls: int
) -> None:
    options = {"start_star_value": star, "dice_per_player": dice, "start_rerolls": rerolls}
    game = make_game("bluff", options)
    assert chance_to_open(game, game.start(2)) == Fraction(1, 2)
    assert isinstance(game.options, BluffOptions)
    opener = ValueBounds(0.48, 0.49)
    # Who opens has it, who does not has the rest.
    assert match_value(game.options, opener) == pytest.approx((0.5, 0.5))


def test_where_seat_0_opens_a_match_is_worth_its_first_round() -> None:
    options = BluffOptions(start_mode="seat", dice_per_player=1)
    game = make_game("bluff", options.model_dump())
    assert chance_to_open(game, game.start(2)) == 1
    bounds = solve_matches(states_of_match(1), width=1e-3)[1, 1].bounds
    low, high = match_value(options, bounds)
    # Neller and Lanctot (2013).
    assert low <= (1 - 7 / 258) / 2 <= high <= low + 1e-3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (BluffOptions(show_and_reroll=True), "without its extension"),
        (BluffOptions(bet_cap="table"), "up to the dice in play"),
        (BluffOptions(players_min=3), "at two seats"),
    ],
)
def test_a_game_that_is_not_solved_is_refused(options: BluffOptions, words: str) -> None:
    with pytest.raises(OptionsNotSolvedError, match=words):
        check_options(options)


def test_all_other_options_are_taken() -> None:
    check_options(BluffOptions(start_star_value=0, start_rerolls=3, dice_per_player=2))
