"""Answers of a program, late in any way, are told from those that nobody asked for."""

from hypothesis import given
from hypothesis import strategies as st

from arena.bridge.unanswered import MOST_UNANSWERED_TURNS, TurnId, Unanswered

turn_ids = st.tuples(st.sampled_from(["m1", "m2"]), st.integers(1, 3))


@given(st.lists(st.tuples(turn_ids, st.booleans())))
def test_a_turn_may_be_answered_as_often_as_it_was_asked(steps: list[tuple[TurnId, bool]]) -> None:
    unanswered = Unanswered()
    owed: list[TurnId] = []
    for turn, answers in steps:
        if answers:
            assert unanswered.answered(turn) == (turn in owed)
            if turn in owed:
                owed.remove(turn)
        else:
            unanswered.asked(turn, 0.0)
            owed.append(turn)


def test_a_late_answer_ends_the_silence() -> None:
    unanswered = Unanswered()
    for number in range(3):
        unanswered.asked(("m1", number), 7.0 + number)
    assert (unanswered.turns_in_silence, unanswered.silent_since) == (3, 7.0)
    assert unanswered.answered(("m1", 0))
    assert unanswered.turns_in_silence == 0
    unanswered.asked(("m1", 3), 20.0)
    assert (unanswered.turns_in_silence, unanswered.silent_since) == (1, 20.0)


def test_an_answer_that_nobody_asked_for_does_not_end_the_silence() -> None:
    unanswered = Unanswered()
    unanswered.asked(("m1", 1), 0.0)
    assert not unanswered.answered(("m1", 2))
    assert unanswered.turns_in_silence == 1


def test_the_oldest_turn_is_forgotten_first() -> None:
    unanswered = Unanswered()
    for number in range(MOST_UNANSWERED_TURNS + 1):
        unanswered.asked(("m1", number), 0.0)
    assert not unanswered.answered(("m1", 0))
    assert unanswered.answered(("m1", 1))
