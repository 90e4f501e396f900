"""The rules of Bluff You! by the numbers of their specification, and all its worked examples."""

from typing import Any

import pytest

from arena.games.bluff_you import (
    CHIPS,
    Announced,
    BluffYouPhase,
    Gift,
    Give,
    Revealed,
    Steal,
    Swap,
    Swapped,
    TurnStarted,
    Win,
)
from arena.games.game import DEALER
from tests.games.bluff_you_positions import (
    BLUFF,
    GAME,
    OK,
    A,
    B,
    C,
    finished,
    game,
    is_legal,
    play,
    position,
    swaps_of,
    told,
)


def test_points_are_those_of_the_rulebook() -> None:  # BY-2
    table = dict(zip(CHIPS, GAME.options.chip_points, strict=True))
    assert {c for c in CHIPS if table[c] == 5} == {3, 18}
    assert {c for c in CHIPS if table[c] == 4} == {4, 17}
    assert {c for c in CHIPS if table[c] == 3} == {5, 6, 15, 16}
    assert {c for c in CHIPS if table[c] == 2} == {7, 8, 13, 14}
    assert {c for c in CHIPS if table[c] == 1} == {9, 10, 11, 12}
    assert sum(table.values()) == 42


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_match_starts_with_all_chips_in_the_centre_and_seat_0_rolling(seats: int) -> None:
    state = GAME.start(seats)  # BY-1, BY-4, BY-5
    assert (state.centre, state.chips, state.bluffer) == (CHIPS, ((),) * seats, 0)
    assert GAME.to_act(state) is DEALER


def test_the_bluffer_is_the_next_seat_clockwise_turn_by_turn() -> None:  # BY-5
    state = GAME.start(3)
    bluffers = []
    for number in (3, 4, 5, 6):
        bluffers.append(state.bluffer)
        state = play(state, (1, 2, 6), Win((state.bluffer + 1) % 3, number), OK)
    assert bluffers == [0, 1, 2, 0]
    assert state.turn == 5


@pytest.mark.parametrize(
    ("example", "dice", "announced", "answer", "winner"),
    [
        ("BY-E1", (5, 4, 3), Win(B, 12), OK, B),
        ("BY-E2", (6, 2, 2), Win(B, 3), OK, A),
        ("BY-E3", (6, 6, 5), Win(C, 17), BLUFF, A),
        ("BY-E4", (6, 3, 1), Win(C, 18), BLUFF, C),
    ],
)
def test_the_seer_wins_the_announced_chip_exactly_when_its_answer_is_right(
    example: str, dice: Any, announced: Win, answer: Any, winner: int
) -> None:
    state, events = told(position((), (), (), dice=dice), announced, answer)
    assert state.chips[winner] == (announced.number,), example
    assert announced.number not in state.centre
    assert sum(map(len, state.chips)) == 1
    assert events == [
        Announced(A, announced),
        Revealed(A, announced, answer.believe, dice, winner, announced.number),
    ]


def test_by_e5_only_a_chip_in_its_place_can_be_announced() -> None:
    state = position((11,), (), (10,), dice=(6, 3, 1))
    assert not is_legal(state, Win(B, 10))
    assert not is_legal(state, Win(C, 10))
    assert is_legal(state, Steal(C, 10))
    assert not is_legal(state, Steal(B, 10))
    for announcement in (Win, Steal):
        for seer in (A, B, C):
            assert not is_legal(state, announcement(seer, 11))


@pytest.mark.parametrize("action", [Win(B, 2), Win(B, 19), Win(A, 3), Win(3, 3), Steal(B, 3)])
def test_other_announcements_are_illegal(action: Any) -> None:  # BY-26
    assert not is_legal(position((11,), (10,), (), dice=(6, 3, 1)), action)


def test_by_e6_a_steal_whose_bluff_is_believed_takes_the_announced_chip() -> None:
    start = position((9,), (12, 13), dice=(4, 4, 1))
    state, events = told(start, Steal(B, 12), OK)
    assert state.chips == ((9, 12), (13,))
    assert events[-1] == Revealed(A, Steal(B, 12), True, (4, 4, 1), A, 12)


def test_by_e7_a_steal_whose_truth_is_doubted_takes_the_announced_chip() -> None:
    state = play(position((9,), (12,), dice=(6, 5, 1)), Steal(B, 12), BLUFF)
    assert state.chips == ((9, 12), ())


def test_by_e8_a_lost_steal_costs_a_chip_of_the_bluffers_choice() -> None:
    start = position((3, 9, 13), (12,), dice=(4, 3, 1))
    state, events = told(start, Steal(B, 12), BLUFF)
    assert events[-1] == Revealed(A, Steal(B, 12), False, (4, 3, 1), B, None)
    assert GAME.to_act(state) == (A,)
    assert [c for c in range(20) if is_legal(state, Give(c))] == [3, 9, 13]
    state, events = told(state, Give(9))
    assert state.chips == ((3, 13), (9, 12))
    assert state.centre == start.centre
    assert events == [Gift(A, B, 9)]


def test_by_e9_the_only_chip_is_given_without_asking_and_then_nothing_can_be_stolen() -> None:
    start = position((17,), (12,), dice=(6, 5, 1))
    state, events = told(start, Steal(B, 12), OK)
    assert state.chips == ((), (12, 17))
    assert events[-2:] == [
        Revealed(A, Steal(B, 12), True, (6, 5, 1), B, None),
        Gift(A, B, 17),
    ]
    state = play(state, (1, 2, 3), Win(A, 3), OK, (1, 1, 1))
    assert state.bluffer == A
    assert not is_legal(state, Steal(B, 12))


def test_by_e10_a_steal_needs_a_chip_on_either_side() -> None:
    nothing = position((), (12,), (4,), dice=(6, 5, 1))
    assert not is_legal(nothing, Steal(B, 12))
    assert not GAME.view(nothing, A).can_steal
    some = position((9,), (), (4,), dice=(6, 5, 1))
    assert [a for a in GAME.legal_actions(some, A) if isinstance(a, Steal)] == [Steal(C, 4)]
    assert GAME.view(some, A).can_steal
    assert not GAME.view(position((9,), (), (), dice=(6, 5, 1)), A).can_steal


def test_by_e11_a_double_swaps_chips_of_equal_points() -> None:
    start = position((8, 13), (12,), dice=(5, 5, 1))
    state, events = told(start, Swap((8, 13), 4))
    assert state.chips == ((4,), (12,))
    assert set(state.centre) == set(start.centre) - {4} | {8, 13}
    assert state.bluffer == B
    assert events == [Swapped(A, (5, 5, 1), (8, 13), 4)]
    assert GAME.view(start, A).points == GAME.view(state, A).points == (4, 1)  # BY-E21


@pytest.mark.parametrize(
    ("give", "take"),
    [
        ((9, 10, 11), 15),
        ((9, 10, 7), 17),
        ((9, 10, 11, 12), 4),
        ((9, 10, 11, 7), 18),
        ((7, 5), 3),
    ],
)
def test_by_e12_two_to_four_chips_can_be_swapped(give: Any, take: int) -> None:
    state = position(give, (), dice=(2, 6, 2))
    assert is_legal(state, Swap(give, take))
    assert take in GAME.view(state, A).swap_targets
    assert not is_legal(position(give, (take,), dice=(2, 6, 2)), Swap(give, take))


@pytest.mark.parametrize(
    ("own", "dice", "swap"),
    [
        pytest.param((8, 13), (5, 4, 1), Swap((8, 13), 4), id="no double"),
        pytest.param((4, 9), (5, 5, 1), Swap((4,), 17), id="one chip"),
        pytest.param((8, 9), (5, 5, 1), Swap((8, 9), 4), id="3 points for 4"),
        pytest.param((9, 10), (5, 5, 1), Swap((9, 10), 9), id="just returned"),
        pytest.param((5, 8), (5, 5, 1), Swap((5, 8), 3), id="owned by another seat"),
        pytest.param((7, 9, 10, 11, 12), (5, 5, 1), Swap((7, 9, 10, 11, 12), 18), id="6 points"),
        pytest.param((8, 13), (5, 5, 1), Swap((8, 8), 4), id="one chip twice"),
        pytest.param((8, 13), (5, 5, 1), Swap((8, 14), 4), id="a chip of the centre"),
        pytest.param((8, 13), (5, 5, 1), Swap((), 4), id="nothing"),
    ],
)
def test_by_e13_other_swaps_are_illegal(own: Any, dice: Any, swap: Swap) -> None:
    assert not is_legal(position(own, (3,), dice=dice), swap)


def test_by_e13_a_second_swap_in_a_turn_is_illegal() -> None:
    state = play(position((7, 8, 13, 14), (), dice=(5, 5, 1)), Swap((8, 13), 4))
    assert (state.phase, state.bluffer) == (BluffYouPhase.ROLL, B)  # BY-18


def test_by_e14_a_triple_is_a_double_and_obliges_to_nothing() -> None:
    state = position((8, 13), (12,), dice=(2, 2, 2))
    assert is_legal(state, Swap((8, 13), 4))
    assert is_legal(state, Win(B, 6)) and is_legal(state, Win(B, 5))
    assert is_legal(state, Steal(B, 12))


def test_the_order_of_the_chips_given_makes_no_difference() -> None:  # BY-17
    assert Swap((13, 8), 4) == Swap((8, 13), 4)
    assert is_legal(position((8, 13), (), dice=(1, 1, 6)), Swap((13, 8), 4))


def test_by_19_a_swap_gives_two_to_four_chips_for_one_of_two_to_five_points() -> None:
    swaps = swaps_of(position((5, 7, 8, 9, 10, 11, 12), (), dice=(1, 1, 1)))
    assert {len(swap.give) for swap in swaps} == {2, 3, 4}
    assert {swap.take for swap in swaps} == {3, 4, 6, 13, 14, 15, 16, 17, 18}


def test_by_e15_the_last_chip_ends_the_match_at_once() -> None:
    state = position((9,), (), (), dice=(6, 3, 1), centre=(3,))
    assert [a for a in GAME.legal_actions(state, A) if isinstance(a, Win)] == [Win(B, 3), Win(C, 3)]
    state = play(state, Win(B, 3), OK)
    assert state.chips[A] == (3, 9)
    assert GAME.to_act(state) == () and state.phase is BluffYouPhase.OVER
    assert GAME.placing(state) == (2, 3, 1)


def test_by_e16_a_swap_reopens_the_centre() -> None:
    state = play(position((7, 8), (), dice=(1, 1, 6), centre=(4,)), Swap((7, 8), 4))
    assert state.centre == (7, 8)
    assert GAME.to_act(state) is DEALER


@pytest.mark.parametrize(
    ("chips", "scores", "placing"),
    [
        pytest.param(
            ((16, 17, 18), (3, 5, 7, 8), (4, 6, 9, 10, 11, 12, 13, 14, 15)),
            (12, 12, 18),
            (2, 3, 1),
            id="BY-E17",
        ),
        pytest.param(
            ((3, 4, 9, 10), (11, 12, 17, 18), (5, 6, 7, 8, 13, 14, 15, 16)),
            (11, 11, 20),
            (2, 2, 1),
            id="BY-E18",
        ),
    ],
)
def test_points_rank_then_fewer_chips_then_nothing(chips: Any, scores: Any, placing: Any) -> None:
    assert GAME.scores(finished(*chips)) == scores  # BY-21
    assert GAME.placing(finished(*chips)) == placing


def test_by_e19_twelve_turns_without_a_win_attempt_leave_only_win_attempts() -> None:
    state = position((3, 4), (9, 10, 11, 12), bluffer=B)
    state = play(state, (1, 1, 6), Swap((9, 10), 7))
    for _ in range(11):
        assert state.no_win_turns < 12
        other = 1 - state.bluffer
        # A bluff that is believed: the chip wanders, and nobody runs out of chips.
        state = play(state, (1, 1, 1), Steal(other, max(state.chips[other])), OK)
    assert state.no_win_turns == 12
    state = play(state, (1, 1, 1))
    assert all(isinstance(a, Win) for a in GAME.legal_actions(state, state.bluffer))
    other = 1 - state.bluffer
    assert all(not is_legal(state, Steal(other, chip)) for chip in state.chips[other])
    view = GAME.view(state, state.bluffer)
    assert (view.can_steal, view.swap_targets, view.win_numbers) == (False, (), state.centre)
    default = GAME.default_action(state, state.bluffer)
    assert play(state, default, OK).no_win_turns == 0


def test_by_e19_a_double_does_not_open_the_lock() -> None:
    locked = position((8, 13), (12,), dice=(5, 5, 1), no_win_turns=12)
    assert not is_legal(locked, Swap((8, 13), 4))
    assert is_legal(position((8, 13), (12,), dice=(5, 5, 1), no_win_turns=11), Swap((8, 13), 4))


def test_by_e20_steals_and_swaps_count_and_a_win_attempt_sets_back() -> None:
    counts = []
    state = play(position((8, 13, 10), (12, 11)), (5, 5, 1), Steal(B, 12), OK)
    counts.append(state.no_win_turns)
    state = play(state, (5, 5, 1), Steal(A, 10), OK)
    counts.append(state.no_win_turns)
    state = play(state, (5, 5, 1), Swap((8, 13), 4))
    counts.append(state.no_win_turns)
    state, events = told(state, (5, 4, 1), Win(A, 3), OK)
    counts.append(state.no_win_turns)
    assert counts == [1, 2, 3, 0]
    assert events[0] == TurnStarted(4, B, 3)


@pytest.mark.parametrize(("seats", "limit"), [(2, 12), (4, 12), (5, 15), (6, 18)])
def test_the_limit_grows_with_large_tables(seats: int, limit: int) -> None:  # BY-22
    rules = game(players_max=6)
    assert rules.view(rules.start(seats), None).no_win_limit == limit


def test_by_23_the_bound_counts_546_turns_of_at_most_three_actions() -> None:
    assert GAME.longest(2) == 42 * 2 + (546 - 42) * 3


def test_by_27_a_silent_seat_bluffs_small_believes_and_gives_the_cheapest() -> None:
    state = position((9, 3, 10), (), (12,), bluffer=C, dice=(5, 5, 1))
    assert GAME.default_action(state, C) == Win(A, 4)
    state = play(state, Steal(A, 9))
    assert GAME.default_action(state, A) == OK
    state = play(position((3, 9, 10), (12,), dice=(4, 3, 1)), Steal(B, 12), BLUFF)
    assert GAME.default_action(state, A) == Give(9)


def test_nothing_is_said_before_the_announcement() -> None:
    with pytest.raises(ValueError, match="nothing was announced"):
        _ = GAME.start(2).said
