"""How likely a claim is to each viewer: the same as counting all possible dice or cards."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb

import pytest

from arena.games import make_game
from arena.games.bloeff import Announcement, BloeffOptions, BloeffView, Card, Deal, Number
from arena.games.bloeff import chances as bloeff
from arena.games.bloeff.values import NUMBER_CARDS
from arena.games.bluff import STAR, Bet, BluffView, Face, PlacedBet
from arena.games.bluff import chances as bluff
from arena.games.bluff_you import BluffYouView, Roll, Steal, Win
from arena.games.bluff_you import chances as bluff_you
from arena.games.game import DEALER


def bluff_view(**changes: object) -> BluffView:
    fields: dict[str, object] = {
        "seat": 0,
        "round": 1,
        "opener": 0,
        "to_act": 1,
        "hidden_dice": (Face.ONE, Face.THREE, STAR),
        "face_up": ((), (), ()),
        "dice_counts": (3, 2, 2),
        "graveyard": 0,
        "bets": (PlacedBet(0, Bet(3, Face.THREE)),),
        "lowest": (1,) * 6,
        "highest": 7,
        "can_doubt": True,
    }
    return BluffView(**(fields | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("face", [Face.THREE, Face.FIVE, STAR])
@pytest.mark.parametrize("quantity", range(1, 8))
def test_a_bet_is_as_likely_as_the_rolls_of_the_others_that_make_it_true(
    face: Face, quantity: int
) -> None:
    view = bluff_view(bets=(PlacedBet(1, Bet(quantity, face)),))
    true = sum(
        sum(die in (face, STAR) for die in (*view.hidden_dice, *others)) >= quantity
        for others in product(Face, repeat=4)
    )
    assert bluff.claim_chance(view) == Fraction(true, 6**4)


def test_a_spectator_knows_the_dice_that_lie_face_up_and_no_others() -> None:
    up = ((Face.THREE,), (STAR, Face.ONE), ())
    view = bluff_view(seat=None, hidden_dice=(), face_up=up)
    # Two of three are there; four dice are hidden, each counts with 1/3 (BL-11).
    assert bluff.claim_chance(view) == 1 - Fraction(2, 3) ** 4


def test_dice_that_are_about_to_be_rolled_again_are_unknown_to_their_owner_too() -> None:
    """BL-X6: the bet stands before the re-roll."""
    bets = (PlacedBet(0, Bet(4, STAR, (STAR,))),)
    up = ((STAR,), (), ())
    left = (Face.ONE, Face.THREE)
    rolling = bluff_view(to_act=None, hidden_dice=left, face_up=up, bets=bets)
    assert bluff.claim_chance(rolling) == bluff.at_least(3, 6, 1)
    rolled = rolling._replace(to_act=1, hidden_dice=(STAR, STAR))
    assert bluff.claim_chance(rolled) == bluff.at_least(1, 4, 1)


def test_without_a_bet_there_is_nothing_to_be_likely() -> None:
    assert bluff.claim_chance(bluff_view(bets=())) is None


@pytest.mark.parametrize(("needed", "dice"), [(-1, 3), (0, 0), (1, 0), (2, 30), (31, 30)])
def test_the_probability_of_many_dice_is_binomial(needed: int, dice: int) -> None:
    third = Fraction(1, 3)
    expected = sum(
        (
            comb(dice, n) * third**n * (1 - third) ** (dice - n)
            for n in range(dice + 1)
            if n >= needed
        ),
        Fraction(0),
    )
    assert bluff.at_least(needed, dice, 2) == expected


def bluff_you_view(seat: int | None, said: Win | Steal | None) -> BluffYouView:
    game = make_game("bluff_you")
    state = game.apply(game.start(3), DEALER, Roll((6, 5, 1)))
    if said is not None:
        state = game.apply(state, 0, said)
    view: BluffYouView = game.view(state, seat)
    return view


@pytest.mark.parametrize("number", range(3, 19))
def test_an_announced_sum_is_as_likely_as_its_share_of_the_rolls(number: int) -> None:
    ways = sum(sum(dice) == number for dice in product(range(1, 7), repeat=3))
    for seat in (1, 2, None):
        chance = bluff_you.claim_chance(bluff_you_view(seat, Win(1, number)))
        assert chance == Fraction(ways, 216)
    assert bluff_you.claim_chance(bluff_you_view(0, Win(1, number))) == (number == 12)


def test_before_an_announcement_nothing_is_likely() -> None:
    assert bluff_you.claim_chance(bluff_you_view(1, None)) is None


def bloeff_view(seat: int | None, card: Card, total: int) -> BloeffView:
    """Three seats; seat 0 has laid `card` and announces `total`."""
    game = make_game("bloeff")
    deck = list(game.start(3).draw_pile)
    deck.remove(card)
    state = game.apply(game.start(3), DEALER, Deal((card, *deck)))
    state = game.apply(state, 0, Number(int(card), total))
    view: BloeffView = game.view(state, seat)
    return view


@pytest.mark.parametrize("total", range(5))
def test_an_announced_total_is_as_likely_as_the_unseen_number_cards_that_make_it(
    total: int,
) -> None:
    options = make_game("bloeff").options
    assert isinstance(options, BloeffOptions)
    deck = Counter({row.card: row.count for row in options.deck if row.class_ == "number"})
    for seat in (1, 2, None):
        view = bloeff_view(seat, Card.FOUR, total)
        unseen = deck - Counter(card for card in view.hand if card in NUMBER_CARDS)
        # BO-7: at total 0 a negative card makes 0, too.
        fitting = sum(count for card, count in unseen.items() if max(0, int(card)) == total)
        assert bloeff.claim_chance(view, options) == Fraction(fitting, unseen.total())
    own = bloeff_view(0, Card.FOUR, total)
    assert bloeff.claim_chance(own, options) == (total == 4)


def test_below_zero_as_a_bluff_makes_negative_cards_dishonest() -> None:
    options = BloeffOptions(below_zero="bluff")
    view = bloeff_view(None, Card.MINUS_TWO, 0)
    assert bloeff.claim_chance(view, options) == Fraction(5, 34)


def test_cards_of_the_pile_that_all_saw_are_not_unseen() -> None:
    options = make_game("bloeff").options
    assert isinstance(options, BloeffOptions)
    view = bloeff_view(None, Card.FOUR, 4)
    seen = replace(view, seen=(Card.FOUR, Card.FOUR, Card.SKIP), balloted=Announcement(0, 4))
    assert bloeff.claim_chance(seen, options) == Fraction(3, 32)
    assert bloeff.claim_chance(replace(view, balloted=None), options) is None
