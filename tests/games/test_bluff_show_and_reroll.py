"""The extension: laying dice out with a bet and re-rolling the rest (BL-X)."""

import pytest

from arena.games.bluff import Bet, BetPlaced, Dice, Face, Reroll
from arena.games.bluff.state import BluffPhase, BluffState
from arena.games.game import DEALER
from arena.randomness import KeyedRandomness
from tests.games.bluff_table import after, bet, bluff, dice, is_legal, rolled, showdown

GAME = bluff(show_and_reroll=True)


def rerolled(state: BluffState, to: str) -> BluffState:
    assert GAME.to_act(state) is DEALER
    return GAME.apply(state, DEALER, Reroll(dice(to)))


def test_dice_laid_out_stay_over_several_bets() -> None:
    """BL-E16"""
    state = rolled(GAME, ["4 4 * 1 2", "1 1 1 1 1"])
    state = after(GAME, state, bet("7,4", show="4 4 *"))
    state = rerolled(state, "3 4")
    assert GAME.view(state, 1).face_up == (dice("4 4 *"), ())
    assert GAME.view(state, 0).hidden_dice == dice("3 4")
    assert GAME.view(state, 0).dice_counts == (5, 5)
    state = after(GAME, state, "8,4", bet("9,4", show="4"))
    state = rerolled(state, "1")
    assert GAME.view(state, None).face_up == (dice("4 4 4 *"), ())
    state = after(GAME, state, "9,5")
    assert not is_legal(GAME, state, bet("10,4", show="1"))
    assert is_legal(GAME, state, bet("10,4"))


LAY_OUTS = [
    # rule, own cup, laid out, legal
    ("BL-E17", "1 2 3 4 5", "1 2 3 4 5", False),
    ("BL-E17", "1 2 3 4 5", "1 2 3 4", True),
    ("BL-E17", "1 2 3 4 5", "*", False),
    ("BL-E17", "1 2 3 4 5", "1 1", False),
    ("BL-E17", "1", "1", False),
    ("BL-E17", "1", "", True),
    ("BL-E18", "1 1 2 3 3", "1", True),
    ("BL-X4", "1 1 2 3 3", "1 3 3", True),
    ("BL-X2", "1 1", "1 1", False),
    ("BL-X2", "1 1", "1", True),
]


@pytest.mark.parametrize(("rule", "cup", "show", "legal"), LAY_OUTS)
def test_dice_may_be_laid_out_as_in(rule: str, cup: str, show: str, legal: bool) -> None:
    state = rolled(GAME, [cup, "1 1 1 1 1"])
    assert is_legal(GAME, state, bet("6,5", show=show)) == legal


def test_laid_out_dice_are_named_in_ascending_order() -> None:
    """One action has one form: a bet laying out 1 and 2 is not another bet than 2 and 1."""
    state = rolled(GAME, ["1 2 3", "1"])
    assert is_legal(GAME, state, Bet(1, Face.ONE, (Face.ONE, Face.TWO)))
    assert not is_legal(GAME, state, Bet(1, Face.ONE, (Face.TWO, Face.ONE)))


def test_nothing_is_laid_out_without_the_extension() -> None:
    game = bluff()
    assert not is_legal(game, rolled(game, ["1 2 3", "1"]), bet("1,1", show="1"))


def test_a_bet_without_laying_out_rerolls_nothing() -> None:
    """BL-X3, BL-E17, BL-D11: not even after dice were laid out earlier in the round."""
    state = rolled(GAME, ["4 4 * 1 2", "1 1 1 1 1"])
    state = rerolled(after(GAME, state, bet("1,4", show="4")), "2 2 3 5")
    state = after(GAME, state, "2,4", "3,4")
    assert state.phase is BluffPhase.BETTING
    assert GAME.view(state, 0).hidden_dice == dice("2 2 3 5")
    assert GAME.view(state, 0).face_up == (dice("4"), ())


@pytest.mark.parametrize(("on", "actual"), [("1", 2), ("5", 1)])
def test_a_laid_out_die_counts_for_its_face_only(on: str, actual: int) -> None:
    """BL-E18, BL-X5"""
    state = rolled(GAME, ["1 1 2 3 3", "* 2 2 2 2"])
    state = rerolled(after(GAME, state, bet("6,5", show="1")), "2 3 4 4")
    event, _ = showdown(GAME, after(GAME, state, f"7,{on}"))
    assert event.actual == actual
    assert event.dice[0] == dice("1 2 3 4 4")


def test_laid_out_stars_are_jokers() -> None:
    """BL-X5"""
    state = rolled(GAME, ["* * 1", "2 2 2"])
    state = rerolled(after(GAME, state, bet("2,2", show="* *")), "3")
    event, _ = showdown(GAME, state)
    assert event.actual == 5


def test_all_dice_go_back_into_the_cup_for_the_next_round() -> None:
    """BL-E19, BL-X7, BL-6"""
    state = rolled(GAME, ["4 4 *", "1 1 1"])
    state = rerolled(after(GAME, state, bet("4,4", show="4 *")), "4")
    _, end = showdown(GAME, state)
    assert end.face_up == ((), ())
    roll = GAME.draw(end, KeyedRandomness(bytes(32)))
    state = GAME.apply(end, DEALER, roll)
    assert [len(cup) for cup in state.hidden] == [2, 3]
    assert GAME.view(state, None).face_up == ((), ())


def test_the_opening_bet_may_lay_out_all_but_one() -> None:
    """BL-E20"""
    state = rolled(GAME, ["1 2 3 4 5", "1"])
    assert is_legal(GAME, state, bet("1,1", show="2 3 4 5"))


def test_a_bet_and_its_lay_out_reach_everybody_at_once_and_the_reroll_nobody() -> None:
    """BL-X6, BL-29"""
    state = rolled(GAME, ["1 2 3 4 5", "1"])
    laying_out = bet("1,1", show="2 3")
    between = GAME.apply(state, 0, laying_out)
    assert GAME.events(state, 0, laying_out, between) == (BetPlaced(0, laying_out),)
    assert GAME.to_act(between) is DEALER
    reroll = GAME.draw(between, KeyedRandomness(bytes(32)))
    assert isinstance(reroll, Reroll)
    assert len(reroll.dice) == 3
    assert GAME.events(between, DEALER, reroll, GAME.apply(between, DEALER, reroll)) == ()


class Keys:
    """Draws ones and notes the keys it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def below(self, key: str, bound: int) -> int:
        assert bound == 6
        self.asked.append(key)
        return 0


def test_the_rerolls_of_a_seat_are_counted_within_the_round() -> None:
    keys = Keys()
    state = rolled(GAME, ["1 1 1 1", "1 1 1"])
    for laying_out in (bet("1,1", "1"), bet("1,2", "1"), bet("1,3"), bet("1,4"), bet("1,5", "1")):
        state = after(GAME, state, laying_out)
        if GAME.to_act(state) is DEALER:
            state = GAME.apply(state, DEALER, GAME.draw(state, keys))
    assert keys.asked == [
        "round 1 seat 0 reroll 1 die 0",
        "round 1 seat 0 reroll 1 die 1",
        "round 1 seat 0 reroll 1 die 2",
        "round 1 seat 1 reroll 1 die 0",
        "round 1 seat 1 reroll 1 die 1",
        "round 1 seat 0 reroll 2 die 0",
        "round 1 seat 0 reroll 2 die 1",
    ]


@pytest.mark.parametrize(
    "cup", [dice("1 1 1 1 1"), dice("1 2 3 4 5"), dice("1 1 2 * *"), dice("3"), dice("3 3")]
)
def test_every_lay_out_is_listed_once(cup: Dice) -> None:
    """1.9: the sub-multisets of the own hidden faces that leave one die."""
    state = rolled(GAME, [" ".join(map(str, cup)), "1"])
    shows = [a.show for a in GAME.legal_actions(state, 0) if isinstance(a, Bet)]
    of_one_bet = shows[: shows.index((), 1)]
    subsets = {
        tuple(die for index, die in enumerate(cup) if chosen >> index & 1)
        for chosen in range(1 << len(cup))
    }
    assert sorted(of_one_bet) == sorted(show for show in subsets if len(show) < len(cup))
