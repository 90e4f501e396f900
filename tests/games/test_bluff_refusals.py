"""Whatever a seat or a stranger's transcript sends, Bluff refuses by IllegalActionError alone."""

from enum import IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games.bluff import Bet, CupRoll, Doubt, Face, OpenerDraw, Reroll, StartingRoll
from arena.games.bluff.state import BluffState
from arena.games.game import DEALER, IllegalActionError
from tests.games.bluff_table import after, bet, bluff, dice, rolled

GAME = bluff(show_and_reroll=True)


class StrangeFace(IntEnum):
    """A face as another game might have it: equal to one of ours, yet none."""

    THREE = 3


garbage = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.just(10**5000),
    st.just(-(10**5000)),
    st.floats(),
    st.text(max_size=3),
    st.sampled_from(Face),
    st.just(StrangeFace.THREE),
    st.lists(st.sampled_from(Face), max_size=3),
    st.lists(st.sampled_from(Face), max_size=6).map(tuple),
    st.tuples(st.integers(), st.none()),
)


def reason_against(state: BluffState, actor: Any, action: Any) -> str | None:
    """Why an action is refused; None when it is taken. Any other error fails the test."""
    try:
        GAME.apply(state, actor, action)
    except IllegalActionError as refusal:
        return str(refusal)
    return None


def refused(state: BluffState, actor: Any, action: Any) -> str:
    reason = reason_against(state, actor, action)
    assert reason is not None
    return reason


@given(garbage, garbage, garbage)
def test_a_bet_of_garbage_is_refused_or_legal(quantity: Any, face: Any, show: Any) -> None:
    state = after(GAME, rolled(GAME, ["1 2 3", "1 2 3"]), "1,3")
    action = Bet(quantity, face, show)
    reason = reason_against(state, 1, action)
    if reason is not None:
        assert len(reason) < 300
    else:
        assert type(quantity) is int
        assert type(face) is Face
        assert action in set(GAME.legal_actions(state, 1))


BETS = [
    Bet(True, Face.THREE),
    Bet(1.0, Face.THREE),  # type: ignore[arg-type]
    Bet("1", Face.THREE),  # type: ignore[arg-type]
    Bet(1, 3),  # type: ignore[arg-type]
    Bet(1, StrangeFace.THREE),  # type: ignore[arg-type]
    Bet(10**5000, Face.THREE),
    Bet(-(10**5000), Face.THREE),
    Bet(0, Face.THREE),
    Bet(1, Face.THREE, [Face.ONE]),  # type: ignore[arg-type]
    Bet(1, Face.THREE, None),  # type: ignore[arg-type]
    Bet(1, Face.THREE, (1,)),  # type: ignore[arg-type]
    Bet(1, Face.THREE, (StrangeFace.THREE,)),  # type: ignore[arg-type]
    Bet(1, Face.THREE, (Face.ONE,) * 1000),
]


@pytest.mark.parametrize("action", BETS, ids=range(len(BETS)))
def test_what_only_looks_like_a_bet_is_refused(action: Bet) -> None:
    refused(rolled(GAME, ["1 2 3", "1 2 3"]), 0, action)


REFUSALS = [
    (bet("1,2"), "This bet is too low. Legal is to doubt, or a bet of 2 to 4 of 1 to 3, "),
    (bet("5,1"), "This bet is above the largest quantity. Legal is to doubt, or a bet of 2 to 4 "),
    (bet("2,1", show="* *"), "At least one die must stay hidden. "),
    (bet("2,1", show="*"), "Only own hidden dice can be laid out. "),
    (Bet(2, Face.ONE, (Face.TWO, Face.ONE)), "At least one die must stay hidden. "),
    (CupRoll(()), "A seat bets or doubts. "),
]


@pytest.mark.parametrize(("action", "message"), REFUSALS)
def test_a_refusal_says_why_and_what_is_legal(action: Any, message: str) -> None:
    state = after(GAME, rolled(GAME, ["1 2", "1 2"]), "1,3")
    assert refused(state, 1, action).startswith(message)


def test_the_hint_names_all_that_is_legal() -> None:
    state = rolled(GAME, ["1 2", "1 2"])
    assert GAME.legal_hint(state, 0) == (
        "Legal is a bet of 1 to 4 of 1 to *, laying out at most 1 die."
    )
    assert GAME.legal_hint(state, 1) == "Seat 0 is on turn; others wait."
    assert GAME.legal_hint(after(GAME, state, "2,3"), 1) == (
        "Legal is to doubt, or a bet of 3 to 4 of 1 to 3, 2 to 4 of 4 to *, "
        "laying out at most 1 die."
    )
    assert GAME.legal_hint(GAME.start(2), 0) == "The dealer draws now; no seat acts."


def test_a_range_of_one_number_is_told_as_that_number() -> None:
    state = after(GAME, rolled(GAME, ["1 2 3", "1 2 3"]), "5,3")
    assert GAME.legal_hint(state, 1) == (
        "Legal is to doubt, or a bet of exactly 6 of 1 to 3, 5 to 6 of 4 to 5, 3 to 6 of *, "
        "laying out at most 2 dice."
    )


def test_only_the_seat_on_turn_may_act_and_only_with_a_bet_to_doubt() -> None:
    """BL-10"""
    state = rolled(GAME, ["1", "1", "1"])
    assert refused(state, 0, Doubt()).startswith("There is no bet to doubt.")
    refused(state, 1, bet("1,1"))
    state = after(GAME, state, "1,1")
    for seat in (0, 2, 3, -1, 10**30):
        refused(state, seat, Doubt())
        refused(state, seat, bet("2,2"))


def to_roll() -> BluffState:
    return bluff(start_mode="seat", dice_per_player=2).start(2)


def to_roll_for_the_opener() -> BluffState:
    return bluff().start(2)


def to_roll_again() -> BluffState:
    """Seats 0 and 1 are tied, seat 2 is not."""
    game = bluff(dice_per_player=5)
    tie = StartingRoll((dice("5 5 5 5 5"), dice("5 5 5 5 5"), dice("1 1 1 1 1")))
    return game.apply(game.start(3), DEALER, tie)


def to_draw_the_opener() -> BluffState:
    game = bluff(start_rerolls=0)
    tie = StartingRoll((dice("5 5 5 5 5"), dice("1 1 1 1 1"), dice("5 5 5 5 5")))
    return game.apply(game.start(3), DEALER, tie)


def to_reroll() -> BluffState:
    """Seat 0 has two dice left under its cup."""
    return after(GAME, rolled(GAME, ["1 2 3", "1 2 3"]), bet("1,1", show="2"))


FIVE = dice("1 2 3 4 5")
DRAWS: list[tuple[Any, Any, bool]] = [
    (to_roll, CupRoll((dice("1 2"), dice("3 *"))), True),
    (to_roll, CupRoll((dice("1 2"),)), False),
    (to_roll, CupRoll((dice("1 2"), dice("3 4"), ())), False),
    (to_roll, CupRoll((dice("1 2 3"), dice("4"))), False),
    (to_roll, CupRoll((dice("1 2"), (Face.TWO, Face.ONE))), False),
    (to_roll, CupRoll((dice("1 2"), (1, 2))), False),  # type: ignore[arg-type]
    (to_roll, CupRoll((dice("1 2"), [Face.ONE, Face.TWO])), False),  # type: ignore[arg-type]
    (to_roll, CupRoll([dice("1 2"), dice("1 2")]), False),  # type: ignore[arg-type]
    (to_roll, CupRoll(None), False),  # type: ignore[arg-type]
    (to_roll, CupRoll((None, 3)), False),  # type: ignore[arg-type]
    (to_roll, StartingRoll((dice("1 2"), dice("3 *"))), False),
    (to_roll, Reroll(dice("1 2")), False),
    (to_roll, OpenerDraw(0), False),
    (to_roll, Doubt(), False),
    (to_roll, bet("1,1"), False),
    (to_roll_for_the_opener, StartingRoll((FIVE, FIVE)), True),
    (to_roll_for_the_opener, StartingRoll((FIVE, ())), False),
    (to_roll_for_the_opener, CupRoll((FIVE, FIVE)), False),
    (to_roll_for_the_opener, OpenerDraw(0), False),
    (to_roll_again, StartingRoll((FIVE, FIVE, ())), True),
    (to_roll_again, StartingRoll((FIVE, FIVE, FIVE)), False),
    (to_roll_again, StartingRoll((FIVE, FIVE)), False),
    (to_roll_again, OpenerDraw(0), False),
    (to_draw_the_opener, StartingRoll((FIVE, FIVE, ())), False),
    (to_draw_the_opener, OpenerDraw(0), True),
    (to_draw_the_opener, OpenerDraw(2), True),
    (to_draw_the_opener, OpenerDraw(1), False),
    (to_draw_the_opener, OpenerDraw(3), False),
    (to_draw_the_opener, OpenerDraw(-1), False),
    (to_draw_the_opener, OpenerDraw(False), False),
    (to_draw_the_opener, OpenerDraw([0]), False),  # type: ignore[arg-type]
    (to_reroll, Reroll(dice("1 *")), True),
    (to_reroll, Reroll(dice("1")), False),
    (to_reroll, Reroll(dice("1 2 3")), False),
    (to_reroll, Reroll((Face.TWO, Face.ONE)), False),
    (to_reroll, Reroll(None), False),  # type: ignore[arg-type]
    (to_reroll, CupRoll((dice("1 2"), dice("1 2 3"))), False),
    (to_reroll, OpenerDraw(0), False),
    (to_reroll, Doubt(), False),
]


@pytest.mark.parametrize(("waiting", "draw", "valid"), DRAWS, ids=range(len(DRAWS)))
def test_a_draw_is_accepted_only_when_chance_can_have_made_it(
    waiting: Any, draw: Any, valid: bool
) -> None:
    state = waiting()
    # The rolls for the opener are of five dice, whatever the round.
    game = bluff(dice_per_player=len(state.hidden[0]) or state.dice_counts[0])
    if valid:
        assert game.apply(state, DEALER, draw) != state
    else:
        with pytest.raises(IllegalActionError):
            game.apply(state, DEALER, draw)


@given(garbage, garbage)
def test_a_draw_of_garbage_is_refused(some: Any, other: Any) -> None:
    for waiting in (to_roll, to_roll_for_the_opener, to_draw_the_opener, to_reroll):
        for draw in (
            CupRoll(some),
            CupRoll((some, other)),
            StartingRoll((some, other)),
            Reroll(some),
        ):
            reason = reason_against(waiting(), DEALER, draw)
            if reason is not None:
                assert len(reason) < 300
            else:
                assert all(type(face) is Face for face in _faces(draw))


def _faces(draw: Any) -> list[Any]:
    return [face for cup in draw.dice for face in (cup if isinstance(cup, tuple) else (cup,))]
