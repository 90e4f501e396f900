"""What a reader of bets believes of the others' dice, and of who they are."""

import numpy as np
import pytest

from arena.games.bluff import STAR, Bet, Face, PlacedBet
from arena.games.bluff.bets import FACES
from arena.lab.analysis.bluff.players import KINDS, Answers, belief, kinds_after
from arena.lab.analysis.bluff.table import OFFSET, BettingTable, hands_of, outcomes, tails

ANY_KIND = np.full(KINDS, 1 / KINDS)
NOTHING_SHOWN = ((), ())


def table(*bets: PlacedBet) -> BettingTable:
    return BettingTable((5, 5), NOTHING_SHOWN, bets, 10)


def test_all_hands_are_listed_with_their_chances() -> None:
    hands = hands_of(5)
    assert len(hands.dice) == 252
    assert hands.chances.sum() == pytest.approx(1)
    assert hands.having.sum(2) == pytest.approx(1)


def test_without_bets_every_hand_is_as_likely_as_the_dice_say() -> None:
    assert belief(table(), 1, ANY_KIND).sum(0) == pytest.approx(hands_of(5).chances)


def test_who_bets_on_a_face_is_believed_to_hold_it() -> None:
    after = belief(table(PlacedBet(1, Bet(4, Face.FOUR))), 1, ANY_KIND).sum(0)
    fours = hands_of(5).matching[Face.FOUR - 1]
    assert after @ fours > hands_of(5).chances @ fours + 0.5


def test_a_bet_says_nothing_about_dice_rolled_after_it() -> None:
    placed = PlacedBet(1, Bet(3, Face.FOUR, (Face.FOUR,)))
    after = belief(BettingTable((5, 5), ((), (Face.FOUR,)), (placed,), 10), 1, ANY_KIND).sum(0)
    assert after == pytest.approx(hands_of(4).chances)


def test_only_legal_actions_are_expected_and_they_add_up() -> None:
    answers = Answers(table(PlacedBet(0, Bet(9, Face.FIVE))), 1)
    assert answers.chances.sum(1) == pytest.approx(1)
    bets = answers.chances[:, :-1].max((0, 2)).reshape(len(FACES), -1)
    # Above nine fives there are only ten of a number, and five to ten stars.
    assert (bets[:5] > 0).sum(1).tolist() == [1] * 5
    assert (bets[STAR - 1] > 0).sum() == 6


def test_a_bet_that_only_an_honest_seat_makes_shows_its_kind() -> None:
    dice = (Face.ONE, Face.TWO, Face.FIVE, Face.FIVE, STAR)
    honest = Answers(table(), 1).chances[-1, :, hands_of(5).dice.index(dice)]
    best = int(honest.argmax())
    bet = Bet(best % (len(honest) // len(FACES)) + 1, FACES[best // (len(honest) // len(FACES))])
    kinds = kinds_after(table(PlacedBet(1, bet)), 1, ANY_KIND, dice, doubted=False)
    assert kinds.argmax() == KINDS - 1
    assert kinds.sum() == pytest.approx(1)


def test_dice_lost_are_those_of_the_rules() -> None:
    values = outcomes((3, 5), 0, 0, 1, 1.0)
    assert values[OFFSET] == 3 / 7, "an exact bet costs the other seat a die"
    assert values[OFFSET + 2] == 3 / 6, "the doubter loses the surplus"
    assert values[OFFSET - 1] == 2 / 7, "the bettor loses what is missing"
    assert values[OFFSET - 8] == 0, "nobody loses more dice than it has"


def test_tails_are_binomial() -> None:
    assert tails(2)[:, OFFSET + 1] == pytest.approx([5 / 9] * 5 + [11 / 36])
    assert tails(2)[:, OFFSET - 3] == pytest.approx(1)
