"""What Blöff refuses, from seats and from the dealer: with what is legal, and nothing else."""

from typing import Any

import pytest

from arena.games.bloeff import (
    Action,
    Ballot,
    BloeffState,
    Card,
    Deal,
    Doubter,
    Number,
    Red,
    Reshuffle,
)
from arena.games.game import DEALER, IllegalActionError
from tests.games.bloeff_positions import (
    BLOEFF,
    REVERSE,
    A,
    B,
    C,
    D,
    number,
    play,
    position,
)

ANNOUNCED = ", announced as 7 to 13 (above 10 is a bust)"
HANDS = ("2 3 reverse", "1 1 skip", "0 0 draw2", "4 4 4")


def window() -> BloeffState:
    """A has announced 9; B, C and D are asked."""
    return BLOEFF.apply(position(*HANDS, total=9), A, number(2, 9))


HUGE = 10**5000
GARBLED: tuple[Any, ...] = (
    Number(True, 9),
    Number(2, True),
    Number(2.0, 9),  # type: ignore[arg-type]
    Number(2, 9.0),  # type: ignore[arg-type]
    Number("2", 9),  # type: ignore[arg-type]
    Number(None, None),  # type: ignore[arg-type]
    Number(HUGE, 9),
    Number(2, HUGE),
    Number(2, -HUGE),
    Number(2, 9, 1),  # type: ignore[arg-type]
    Number(2, 9, None),  # type: ignore[arg-type]
    Number([], {}),  # type: ignore[arg-type]
    Number(4, 9),
    Number(Card.REVERSE, 9),
    Red(Card.SKIP, B),
    Red(Card.REVERSE, B),
    Red(Card.TWO, B),
    Red("skip", B),  # type: ignore[arg-type]
    Action(5),  # type: ignore[arg-type]
    Action("reverse"),  # type: ignore[arg-type]
    Action(Card.REVERSE, "yes"),  # type: ignore[arg-type]
    Action(Card.SKIP),
    Ballot(True),
    Doubter(B),
)


@pytest.mark.parametrize("garbled", GARBLED, ids=range(len(GARBLED)))
def test_a_garbled_play_is_refused_with_what_is_legal(garbled: Any) -> None:
    with pytest.raises(IllegalActionError, match="announced as 7 to 13") as refusal:
        BLOEFF.apply(position(*HANDS, total=9), A, garbled)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize(
    ("hand", "ways"),
    [
        ("2 3 reverse", f"the number card 2 or 3{ANNOUNCED}; or reverse"),
        ("1 1 skip", f"the number card 1{ANNOUNCED}; or skip for another seat"),
        ("draw2 skip reverse", "draw2 or skip for another seat; or reverse"),
        ("-2 0 4 4", f"the number card -2, 0 or 4{ANNOUNCED}"),
        ("reverse", "reverse"),
    ],
)
def test_a_refusal_names_the_cards_of_the_own_hand_that_can_be_played(hand: str, ways: str) -> None:
    """BO-11, BO-13, BO-14"""
    assert BLOEFF.legal_hint(position(hand, "0 0", total=9), A) == f"Legal is {ways}."
    assert BLOEFF.legal_hint(position(hand, "0 0", total=9), B) == "Seat 0 is on turn; others wait."


@pytest.mark.parametrize("target", [B, -1, 4, HUGE, True, None, 0.0, "A"], ids=range(8))
def test_a_garbled_target_is_refused(target: Any) -> None:
    with pytest.raises(IllegalActionError, match="another seat"):
        BLOEFF.apply(position(*HANDS, on_turn=B), B, Red(Card.SKIP, target))


@pytest.mark.parametrize("doubt", [None, 0, 1, "no", [], HUGE], ids=range(6))
def test_a_garbled_ballot_is_refused(doubt: Any) -> None:
    with pytest.raises(IllegalActionError, match="to doubt or not"):
        BLOEFF.apply(window(), B, Ballot(doubt))


def test_a_ballot_is_given_once_and_never_by_the_player() -> None:
    after = BLOEFF.apply(window(), B, Ballot(False))
    with pytest.raises(IllegalActionError, match="cannot be changed"):
        BLOEFF.apply(after, B, Ballot(True))
    with pytest.raises(IllegalActionError, match="waits"):
        BLOEFF.apply(after, A, Ballot(True))


def test_a_card_of_the_hand_is_as_good_as_its_value() -> None:
    before = position(*HANDS, total=9)
    assert BLOEFF.apply(before, A, Number(Card.TWO, 9)) == window()


def test_a_shuffle_has_exactly_the_cards_of_its_pile() -> None:
    start = BLOEFF.start(2)
    good = start.draw_pile
    bad: tuple[Any, ...] = (
        good[:-1],
        (*good, Card.SKIP),
        (*good[:-1], Card.ZERO),
        tuple(int(card) for card in good),
        list(good),
        None,
        (None,) * 52,
    )
    for order in bad:
        with pytest.raises(IllegalActionError, match="exactly the cards"):
            BLOEFF.apply(start, DEALER, Deal(order))


@pytest.mark.parametrize("seat", [A, C, 7, -1, None, True, "B"])
def test_the_doubter_is_one_who_doubts(seat: Any) -> None:
    asked = play(position(*HANDS, total=9), number(2, 9), B, D)
    with pytest.raises(IllegalActionError, match="seats that doubt"):
        BLOEFF.apply(asked, DEALER, Doubter(seat))


def test_no_draw_is_taken_out_of_its_place() -> None:
    start = BLOEFF.start(4)
    with pytest.raises(IllegalActionError, match="does not belong"):
        BLOEFF.apply(start, DEALER, Reshuffle(start.draw_pile))
    with pytest.raises(IllegalActionError, match="does not belong"):
        BLOEFF.apply(window(), DEALER, Doubter(B))
    assert REVERSE in set(BLOEFF.legal_actions(position(*HANDS), A))
