"""What Bluff You! shows and says: views, notation, table talk, and answers to nonsense."""

from typing import Any

import pytest

from arena.games.bluff_you import Answer, BluffYouPhase, Give, Roll, Steal, Stop, Swap, Take, Win
from arena.games.game import DEALER, IllegalActionError
from tests.games.bluff_you_positions import BLUFF, GAME, OK, A, B, C, play, position


def test_by_24_only_the_bluffer_sees_the_dice_until_they_are_shown() -> None:
    start = position((8, 13), (12,), (4,), dice=(5, 5, 1))
    said = play(start, Steal(B, 12))
    for state in (start, said):
        assert GAME.view(state, A).dice == (5, 5, 1)
        for seat in (B, C, None):
            assert GAME.view(state, seat).dice == ()
            assert GAME.view(state, seat).swap_targets == ()
            assert GAME.view(state, seat).win_numbers == ()
    assert GAME.view(said, C).announced == Steal(B, 12)
    lost = play(said, BLUFF)
    for seat in (A, B, C, None):
        view = GAME.view(lost, seat)
        assert (view.phase, view.dice, view.believed) == (BluffYouPhase.GIVE, (5, 5, 1), False)
        assert (view.bluffer, view.to_act) == (A, A)


@pytest.mark.parametrize(
    ("action", "talk", "note"),
    [
        (Win(1, 12), "to seat 1: 12!", {"type": "win", "seer": 1, "number": 12}),
        (Steal(2, 9), "to seat 2: your 9!", {"type": "steal", "seer": 2, "number": 9}),
        (
            Swap((13, 8), 4),
            "double: 8 and 13 for 4",
            {"type": "swap", "give": [8, 13], "take": 4},
        ),
        (OK, "Ok!", {"type": "answer", "believe": True}),
        (BLUFF, "Bluff you!", {"type": "answer", "believe": False}),
        (Give(9), "have 9", {"type": "give", "number": 9}),
        (Take(9), "I take 9", {"type": "take", "number": 9}),
        (Stop(), "enough", {"type": "stop"}),
        (Roll((5, 4, 3)), "roll 5 4 3", {"type": "roll", "dice": [5, 4, 3]}),
    ],
)
def test_actions_have_a_spoken_and_a_written_form(action: Any, talk: str, note: Any) -> None:
    assert str(action) == talk
    assert GAME.notation.to_json(action) == note
    assert GAME.notation.from_json(note) == action


HUGE = 10**5000
"""Too long to be printed: converting it to text raises an error of its own."""


def kind(value: Any) -> str:
    return type(value).__name__


@pytest.mark.parametrize(
    "garbage",
    [
        Win(HUGE, 3),
        Win(B, HUGE),
        Win(B, -HUGE),
        Win(True, 3),
        Win(B, 3.0),  # type: ignore[arg-type]
        Win("1", 3),  # type: ignore[arg-type]
        Win(None, None),  # type: ignore[arg-type]
        Steal(B, [12]),  # type: ignore[arg-type]
        Steal(True, 12),
        Swap((8.0, 13), 4),  # type: ignore[arg-type]
        Swap([8, 13], 4),  # type: ignore[arg-type]
        Swap((8, "13"), 4),  # type: ignore[arg-type]
        Swap((8, 13), 4.0),  # type: ignore[arg-type]
        Swap((8, HUGE), 4),
        Swap(tuple(range(100_000)), 4),
        Swap(None, None),  # type: ignore[arg-type]
        Answer(True),
        Give(8),
        Take(12),
        Stop(),
        Roll((5, 5, 1)),
        None,
        "win",
        HUGE,
    ],
    ids=kind,
)
def test_garbage_is_refused_with_what_is_legal(garbage: Any) -> None:
    state = position((8, 13), (12,), dice=(5, 5, 1))
    with pytest.raises(IllegalActionError) as refusal:
        GAME.apply(state, A, garbage)
    assert "Legal is to win 3, 4, 5, " in str(refusal.value)
    assert "to steal 12 from seat 1" in str(refusal.value)
    assert "to swap at least 2 chips for 4 or 17, worth the same." in str(refusal.value)


@pytest.mark.parametrize("believe", [1, 0, None, "OK", HUGE], ids=kind)
def test_an_answer_is_true_or_false(believe: Any) -> None:
    state = play(position((), (), dice=(5, 5, 1)), Win(B, 3))
    with pytest.raises(IllegalActionError, match="Legal is to believe the announced number"):
        GAME.apply(state, B, Answer(believe))


@pytest.mark.parametrize("number", [True, 8.0, "8", HUGE, 12, 4, None], ids=kind)
def test_a_gift_is_an_own_chip(number: Any) -> None:
    state = play(position((8, 13), (12,), dice=(5, 5, 1)), Steal(B, 12), BLUFF)
    with pytest.raises(IllegalActionError, match="Legal is to give 8 or 13"):
        GAME.apply(state, A, Give(number))


@pytest.mark.parametrize("actor", [B, C, -1, 3, True, False, 0.0, None, HUGE, "0"], ids=kind)
def test_only_the_seat_that_is_asked_acts(actor: Any) -> None:
    for state in (position((), (), (), dice=(5, 5, 1)), GAME.start(3)):
        with pytest.raises(IllegalActionError):
            GAME.apply(state, actor, Win(C, 3))


@pytest.mark.parametrize(
    "dice",
    [(), (1, 2), (1, 2, 3, 4), (0, 1, 2), (1, 2, 7), (1, 2, True), (1, 2, 3.0), [1, 2, 3], None],
    ids=str,
)
def test_the_dealer_rolls_three_dice_of_one_to_six(dice: Any) -> None:
    with pytest.raises(IllegalActionError, match=r"rolls|A die"):
        GAME.apply(GAME.start(2), DEALER, Roll(dice))


def test_the_dealer_rolls_once_in_a_turn() -> None:
    with pytest.raises(IllegalActionError, match="No dice"):
        GAME.apply(position((), (), dice=(5, 5, 1)), DEALER, Roll((1, 2, 3)))
