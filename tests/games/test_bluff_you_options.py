"""Every option of Bluff You!, and what is said to whoever sends nonsense."""

from typing import Any

import pytest
from pydantic import ValidationError

from arena.games.bluff_you import (
    Answer,
    BluffYouOptions,
    BluffYouPhase,
    Gift,
    Give,
    Revealed,
    Steal,
    Stop,
    Swap,
    Take,
    Taken,
    Win,
    legal_swaps,
)
from arena.games.game import IllegalActionError
from tests.games.bluff_you_positions import (
    BLUFF,
    GAME,
    OK,
    A,
    B,
    C,
    game,
    is_legal,
    play,
    position,
    swaps_of,
    told,
)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("players_min", 1),
        ("players_max", 7),
        ("first_bluffer", 1),
        ("chip_points", (1,) * 15),
        ("chip_points", (0,) + (1,) * 15),
        ("announce_missing_chip", "sometimes"),
        ("steal_takes", "nothing"),
        ("gift_choice", "before_reveal"),
        ("swap_min_give", 0),
        ("swap_max_per_turn", -1),
        ("no_win_limit", -1),
        ("silent_action", "pass"),
        ("final_tie", "first_seat"),
        ("dice", 4),
    ],
)
def test_options_outside_their_bounds_are_refused(option: str, value: Any) -> None:
    with pytest.raises(ValidationError):
        BluffYouOptions.model_validate({option: value})


def test_fewest_players_must_not_be_above_most_players() -> None:
    with pytest.raises(ValidationError, match="players_min"):
        BluffYouOptions(players_min=4, players_max=3)


def test_the_defaults_are_the_specification() -> None:
    assert BluffYouOptions().changed() == {}
    assert list(GAME.seat_counts) == [2, 3, 4]


def test_players_min_and_max_bound_the_seats() -> None:  # BY-1
    rules = game(players_min=3, players_max=6)
    assert list(rules.seat_counts) == [3, 4, 5, 6]
    with pytest.raises(ValueError, match="3 to 6 seats, not 2"):
        rules.start(2)


def test_chip_points_change_scores_and_swaps() -> None:  # BY-2
    points = (9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 1)
    rules = game(chip_points=points)
    state = position((4, 5), (18,), dice=(1, 1, 2))
    assert rules.view(state, A).points == (3, 1)
    assert swaps_of(state, rules) == [Swap((4, 5), 6)]
    assert rules.longest(2) == sum(points) * (2 + 12 * 3)


NO_EFFECT = game(announce_missing_chip="no_effect", no_win_limit=3)  # BY-8, BY-26
TEN_GONE = position((10,), (11,), (), dice=(6, 3, 1))


@pytest.mark.parametrize("number", [10, 11, 3])
def test_any_number_of_a_chip_may_be_announced(number: int) -> None:
    assert is_legal(TEN_GONE, Win(B, number), NO_EFFECT)
    assert number in NO_EFFECT.view(TEN_GONE, A).win_numbers


@pytest.mark.parametrize("number", [2, 19])
def test_other_numbers_may_not(number: int) -> None:
    assert not is_legal(TEN_GONE, Win(B, number), NO_EFFECT)


@pytest.mark.parametrize(("answer", "winner"), [(OK, B), (BLUFF, A)])
def test_nobody_gains_a_missing_chip(answer: Answer, winner: int) -> None:
    state, events = told(TEN_GONE, Win(B, 10), answer, rules=NO_EFFECT)
    assert (state.chips, state.centre) == (TEN_GONE.chips, TEN_GONE.centre)
    assert events[-1] == Revealed(A, Win(B, 10), answer.believe, (6, 3, 1), winner, None)


def test_it_is_no_progress_and_illegal_when_progress_is_due() -> None:
    assert play(TEN_GONE, Win(B, 10), OK, rules=NO_EFFECT).no_win_turns == 1
    due = position((10,), (11,), (), dice=(6, 3, 1), no_win_turns=3)
    assert not is_legal(due, Win(B, 10), NO_EFFECT)
    assert is_legal(due, Win(B, 3), NO_EFFECT)


ANY_CHIP = game(steal_takes="any_chip")  # BY-14
WON = play(position((9,), (3, 12, 18), (4,), dice=(4, 4, 1)), Steal(B, 12), OK, rules=ANY_CHIP)


def test_the_winner_of_a_steal_chooses_among_the_seers_chips() -> None:
    assert ANY_CHIP.to_act(WON) == (A,)
    assert [c for c in range(20) if is_legal(WON, Take(c), ANY_CHIP)] == [3, 12, 18]
    assert not is_legal(WON, Give(3), ANY_CHIP)
    state, events = told(WON, Take(18), rules=ANY_CHIP)
    assert state.chips == ((9, 18), (3, 12), (4,))
    assert events == [Taken(A, B, 18)]


def test_the_reveal_leaves_open_what_the_winner_will_take() -> None:
    start = position((9,), (3, 12, 18), dice=(4, 4, 1))
    events = told(start, Steal(B, 12), OK, rules=ANY_CHIP)[1]
    assert events[-1] == Revealed(A, Steal(B, 12), True, (4, 4, 1), A, None)


def test_everybody_sees_the_dice_while_the_winner_chooses() -> None:
    for seat in (A, B, C, None):
        assert ANY_CHIP.view(WON, seat).dice == (4, 4, 1)


def test_a_silent_winner_takes_what_it_announced() -> None:
    assert ANY_CHIP.default_action(WON, A) == Take(12)


def test_a_seers_only_chip_is_taken_without_asking() -> None:
    start = position((9,), (12,), dice=(4, 4, 1))
    state, events = told(start, Steal(B, 12), OK, rules=ANY_CHIP)
    assert state.chips == ((9, 12), ())
    assert events[-1] == Revealed(A, Steal(B, 12), True, (4, 4, 1), A, 12)


def test_with_two_chips_nothing_is_given_before_the_bluffer_chooses() -> None:  # BY-15
    state, events = told(position((9, 13), (12,), dice=(4, 3, 1)), Steal(B, 12), BLUFF)
    assert state.phase is BluffYouPhase.GIVE
    assert events[-1] == Revealed(A, Steal(B, 12), False, (4, 3, 1), B, None)


def test_a_lost_steal_costs_what_it_always_costs() -> None:
    start = position((9,), (3, 12), dice=(4, 4, 1))
    assert told(start, Steal(B, 12), BLUFF, rules=ANY_CHIP)[1][-1] == Gift(A, B, 9)


@pytest.mark.parametrize(
    ("fewest", "takes"), [(1, {13, 14, 15, 16}), (2, {15, 16}), (3, set()), (4, set())]
)
def test_swap_min_give_bounds_the_chips_given(fewest: int, takes: set[int]) -> None:  # BY-17
    rules = game(swap_min_give=fewest)
    state = position((7, 9), (3, 4, 5, 6, 8, 10, 11, 12, 17, 18), dice=(1, 1, 2))
    assert {swap.take for swap in swaps_of(state, rules)} == takes
    assert set(rules.view(state, A).swap_targets) == takes
    assert is_legal(state, Swap((7, 9), 15), rules) == (fewest <= 2)


ONE_FOR_ONE = game(swap_min_give=1, swap_max_per_turn=2)


def test_one_chip_cannot_be_swapped_for_itself() -> None:  # BY-17
    state = position((9, 18), (12,), dice=(1, 1, 2))
    assert is_legal(state, Swap((9,), 10), ONE_FOR_ONE)
    assert not is_legal(state, Swap((9,), 9), ONE_FOR_ONE)


def test_a_seat_with_one_chip_swaps_nothing_even_where_one_may_be_given() -> None:  # BY-16
    state = position((9,), (12,), dice=(1, 1, 2))
    assert not is_legal(state, Swap((9,), 10), ONE_FOR_ONE)
    assert swaps_of(state, ONE_FOR_ONE) == []
    assert list(legal_swaps((9,), (10,), (1,) * 19, 1)) == []
    assert ONE_FOR_ONE.view(state, A).swap_targets == ()
    assert "swap" not in ONE_FOR_ONE.legal_hint(state, A)
    with pytest.raises(IllegalActionError, match=r"^A swap needs 2 own chips\."):
        ONE_FOR_ONE.apply(state, A, Swap((9,), 10))


def test_a_seat_that_swapped_down_to_one_chip_is_not_asked_again() -> None:  # BY-16, BY-18
    state = play(position((7, 9), (12,), dice=(1, 1, 2)), Swap((7, 9), 15), rules=ONE_FOR_ONE)
    assert (state.phase, state.bluffer) == (BluffYouPhase.ROLL, B)


def test_a_seat_with_two_chips_may_swap_one_of_them_and_then_both() -> None:  # BY-16, BY-17
    once = play(position((7, 9), (12,), dice=(1, 1, 2)), Swap((9,), 10), rules=ONE_FOR_ONE)
    assert (once.phase, once.chips[A]) == (BluffYouPhase.SWAP_AGAIN, (7, 10))
    assert is_legal(once, Swap((10,), 9), ONE_FOR_ONE)
    assert is_legal(once, Swap((7, 10), 15), ONE_FOR_ONE)


def test_without_swaps_a_double_is_nothing_special() -> None:  # BY-18
    rules = game(swap_max_per_turn=0)
    state = position((8, 13), (), dice=(5, 5, 1))
    assert not is_legal(state, Swap((8, 13), 4), rules)
    assert rules.view(state, A).swap_targets == ()


TWO_SWAPS = game(swap_max_per_turn=2)  # BY-18
ONCE = play(position((7, 8, 13, 14), (12,), dice=(5, 5, 1)), Swap((8, 13), 4), rules=TWO_SWAPS)


def test_after_a_swap_the_bluffer_swaps_again_or_stops() -> None:
    assert (ONCE.phase, TWO_SWAPS.to_act(ONCE)) == (BluffYouPhase.SWAP_AGAIN, (A,))
    assert is_legal(ONCE, Stop(), TWO_SWAPS)
    assert is_legal(ONCE, Swap((7, 14), 17), TWO_SWAPS)
    assert not is_legal(ONCE, Win(B, 3), TWO_SWAPS)
    assert TWO_SWAPS.default_action(ONCE, A) == Stop()
    assert TWO_SWAPS.view(ONCE, B).dice == (5, 5, 1)


@pytest.mark.parametrize("last", [Stop(), Swap((7, 14), 17)])
def test_both_swaps_are_one_turn(last: Any) -> None:
    state = play(ONCE, last, rules=TWO_SWAPS)
    assert (state.turn, state.bluffer, state.no_win_turns) == (2, B, 1)


def test_a_turn_ends_by_itself_where_no_further_swap_exists() -> None:
    state = play(position((8, 13), (), dice=(5, 5, 1)), Swap((8, 13), 4), rules=TWO_SWAPS)
    assert state.phase is BluffYouPhase.ROLL


def test_a_chip_returned_by_an_earlier_swap_may_be_taken() -> None:
    start = position((8, 9, 10, 13), (7, 14), dice=(5, 5, 1))
    once = play(start, Swap((8, 13), 4), rules=TWO_SWAPS)
    assert is_legal(once, Swap((9, 10), 8), TWO_SWAPS)


def test_no_win_limit_locks_after_that_many_turns() -> None:  # BY-22
    rules = game(no_win_limit=1)
    assert rules.view(rules.start(4), None).no_win_limit == 1
    assert not is_legal(position((9,), (12,), dice=(1, 1, 1), no_win_turns=1), Steal(B, 12), rules)
    assert is_legal(position((9,), (12,), dice=(1, 1, 1)), Steal(B, 12), rules)
