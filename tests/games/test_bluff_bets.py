"""The order of bets: every raise that rules/section 3 and its examples name, and its laws."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games.bluff import STAR, Bet, Doubt, Face
from arena.games.bluff.bets import bets_within, lowest_raises
from tests.games.bluff_table import after, bet, bets_in, bluff, cups_of, is_legal, rolled

NUMBERS = tuple(face for face in Face if face is not STAR)

TRACK = "1 *1 2 3 *2 4 5 *3 6 7 *4 8 9 *5 10 11 *6 12 13 *7 14 15 *8 16 17 *9 18 19 *10 20"

# Section 3 of the rules, whole.
LOWEST_STAR = dict(
    zip(
        (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 29, 30),
        (1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 15, 16),
        strict=True,
    )
)
LOWEST_NUMBER = {
    1: 2, 2: 4, 3: 6, 4: 8, 5: 10, 6: 12, 7: 14, 8: 16, 9: 18, 10: 20, 11: 22, 15: 30,
}  # fmt: skip


def key(bet: Bet) -> int:
    """BL-13, written down a second time."""
    return 4 * bet.quantity - 1 if bet.face is STAR else 2 * bet.quantity


def is_higher(new: Bet, standing: Bet) -> bool:
    """BL-14, written down a second time."""
    if key(new) > key(standing):
        return True
    turned = new.face is not STAR and standing.face is not STAR and new.face > standing.face
    return turned and new.quantity == standing.quantity


bets = st.builds(Bet, st.integers(1, 99), st.sampled_from(Face))


@pytest.mark.parametrize(("quantity", "star"), LOWEST_STAR.items())
def test_the_lowest_star_above_a_number_is_that_of_section_3(quantity: int, star: int) -> None:
    for face in NUMBERS:
        assert lowest_raises(quantity, face)[STAR - 1] == star


@pytest.mark.parametrize(("star", "number"), LOWEST_NUMBER.items())
def test_the_lowest_number_above_a_star_is_that_of_section_3(star: int, number: int) -> None:
    assert lowest_raises(star, STAR) == (number,) * 5 + (star + 1,)


def test_perudo_is_a_different_game() -> None:
    assert lowest_raises(8, Face.ONE)[STAR - 1] == 5
    assert lowest_raises(2, STAR)[Face.ONE - 1] == 4


@given(bets, bets)
def test_the_bounds_say_what_the_keys_say(standing: Bet, new: Bet) -> None:
    """BL-14"""
    lowest = lowest_raises(standing.quantity, standing.face)
    assert (new.quantity >= lowest[new.face - 1]) == is_higher(new, standing)


@pytest.mark.slow
@given(bets, bets)
def test_of_two_bets_exactly_one_is_higher(one: Bet, other: Bet) -> None:
    assert is_higher(one, other) + is_higher(other, one) == (one != other)


@given(st.none() | bets, st.integers(1, 99))
def test_raises_are_listed_once_and_in_ascending_order(standing: Bet | None, cap: int) -> None:
    lowest = lowest_raises(standing.quantity, standing.face) if standing else (1,) * 6
    listed = [Bet(quantity, face) for quantity, face in bets_within(lowest, cap)]
    every = [Bet(quantity, face) for quantity in range(1, cap + 1) for face in Face]
    assert set(listed) == {b for b in every if standing is None or is_higher(b, standing)}
    assert all(is_higher(higher, lower) for lower, higher in pairwise(listed))


def test_the_track_lies_as_printed() -> None:
    """BL-13"""
    fields = {
        key(Bet(quantity, face)): f"*{quantity}" if face is STAR else str(quantity)
        for quantity, face in bets_within((1,) * 6, 20)
        if face is not STAR or quantity <= 10
    }
    assert " ".join(fields[place] for place in sorted(fields)) == TRACK


@pytest.mark.parametrize("in_play", [2, 3, 6, 10, 30])
def test_an_opener_has_six_bets_for_each_die_in_play(in_play: int) -> None:
    """BL-15, BL-16, 1.9: the number of bets is 6 D, and there is nothing to doubt (BL-10)."""
    game = bluff(dice_per_player=15)
    state = rolled(game, cups_of(in_play - 1, 1))
    legal = list(game.legal_actions(state, 0))
    assert len(legal) == 6 * in_play
    assert Doubt() not in legal
    assert not is_legal(game, state, Doubt())


RAISES = [
    # rule, dice in play, standing bet, legal, illegal
    ("BL-E4", 10, "9,2", "9,3 9,4 9,5 10,1 10,2 5,*", "9,2 9,1 8,5 4,*"),
    ("BL-E5", 10, "5,5", "6,2", "5,1 5,2 5,3 5,4 5,5"),
    ("BL-E5", 10, "2,*", "5,4 4,1", "3,5 2,* 1,*"),
    ("BL-E5", 10, "3,*", "4,*", "3,* 2,*"),
    ("BL-E5", 10, "8,4", "5,*", "4,*"),
    ("BL-E5", 10, "4,3", "4,4 4,5", "4,3 4,2 4,1"),
    ("BL-E5", 10, "4,4", "4,5", "4,4 4,3"),
    ("BL-E5", 10, "4,5", "5,1 3,*", "4,1 4,2 4,3 4,4 4,5"),
    ("BL-E6", 30, "1,5", "1,*", "1,4"),
    ("BL-E6", 30, "1,*", "2,1", "1,5"),
    ("BL-E6", 30, "2,1", "2,*", "1,*"),
    ("BL-E6", 30, "3,5", "2,*", "1,*"),
    ("BL-E6", 30, "2,*", "4,1", "3,5"),
    ("BL-E6", 30, "7,1", "4,*", "3,*"),
    ("BL-E6", 30, "4,*", "8,1", "7,5"),
    ("BL-E6", 30, "19,5", "10,*", "9,*"),
    ("BL-E6", 30, "10,*", "20,1", "19,5"),
    ("BL-E7", 30, "20,5", "21,1 11,*", "20,5 10,*"),
    ("BL-E7", 30, "11,*", "22,1", "21,5 11,*"),
    ("BL-E7", 30, "30,5", "16,* 30,*", "15,* 31,1 31,* 30,5"),
    ("BL-E14", 6, "6,5", "4,* 5,* 6,*", "7,1 3,* 7,*"),
    ("BL-16", 6, "1,1", "6,5 6,*", "7,1 7,* 0,2 -1,* 99,5"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "in_play", "standing", "legal", "illegal"), RAISES)
def test_a_standing_bet_is_raised_as_in(
    rule: str, in_play: int, standing: str, legal: str, illegal: str
) -> None:
    game = bluff()
    state = after(game, rolled(game, cups_of(in_play // 2, in_play - in_play // 2)), standing)
    assert is_legal(game, state, Doubt())
    for text in legal.split():
        assert is_legal(game, state, bet(text)), text
    for text in illegal.split():
        assert not is_legal(game, state, bet(text)), text


def test_nothing_but_stars_is_above_the_last_number() -> None:
    """BL-E7"""
    game = bluff()
    state = after(game, rolled(game, cups_of(5, 5, 5, 5, 5, 5)), "30,5")
    assert bets_in(game, state) == [f"{stars},*" for stars in range(16, 31)]


@pytest.mark.parametrize(("counts", "last"), [((5,) * 6, "30,*"), ((3, 3), "6,*"), ((1, 1), "2,*")])
def test_above_as_many_stars_as_dice_only_a_doubt_is_left(
    counts: tuple[int, ...], last: str
) -> None:
    """BL-18, BL-E7, BL-E14"""
    game = bluff()
    state = after(game, rolled(game, cups_of(*counts)), last)
    assert list(game.legal_actions(state, 1)) == [Doubt()]
    assert game.legal_hint(state, 1) == "Legal is to doubt."
    view = game.view(state, 1)
    assert min(view.lowest) > view.highest


def test_a_table_without_cap_takes_bets_that_cannot_be_true() -> None:
    """BL-E14, BL-16 with bet_cap = table"""
    game = bluff(bet_cap="table")
    state = after(game, rolled(game, cups_of(3, 3)), "6,5")
    assert bets_in(game, state)[:6] == ["7,1", "7,2", "7,3", "7,4", "7,5", "4,*"]
    assert game.view(state, 1).highest == 99
    state = after(game, state, "99,*")
    assert list(game.legal_actions(state, 0)) == [Doubt()]


def test_a_one_die_duel_offers_these_raises() -> None:
    """BL-E11"""
    game = bluff()
    state = after(game, rolled(game, ["3", "*"]), "1,3")
    assert " ".join(bets_in(game, state)) == "1,4 1,5 1,* 2,1 2,2 2,3 2,4 2,5 2,*"
    state = after(game, state, "2,3")
    assert bets_in(game, state) == ["2,4", "2,5", "2,*"]
