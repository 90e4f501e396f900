"""Every option of Blöff at its alternative, and the tables that it may be given."""

from typing import Any

import pytest
from pydantic import ValidationError

from arena.games.bloeff import (
    BloeffOptions,
    BloeffPhase,
    Card,
    CardsDrawn,
    DealRow,
    Direction,
    Doubted,
    DrawCause,
    Ending,
)
from arena.games.game import DEALER
from arena.randomness import KeyedRandomness
from tests.games.bloeff_positions import (
    REVERSE,
    A,
    B,
    C,
    D,
    announceable,
    bloeff,
    cards,
    number,
    play,
    position,
    red,
    sizes,
)

HANDS = ("2 2 3", "1 1 1", "0 0 0", "4 4 4")


def test_below_zero_may_force_a_bluff_bo_7() -> None:
    game = bloeff(below_zero="bluff")
    after = play(position("-2 1 1", "1 1", total=1), number(-2, 0), B, game=game)
    assert after.news[0] == Doubted(A, B, Card.MINUS_TWO, 0, -1, False, ())


def test_any_total_from_0_to_99_may_be_announced_bo_12() -> None:
    game = bloeff(announce_range="any")
    assert announceable(position(*HANDS, total=9), 2, game) == list(range(100))


@pytest.mark.parametrize(("total", "announce"), [(96, 98), (97, 99), (98, 99), (99, 99)])
def test_a_silent_seat_announces_no_more_than_may_be_announced_bo_12_28(
    total: int, announce: int
) -> None:
    game = bloeff(announce_range="any", limits=(99, 0))
    before = position("2 3 4", "1 1 1", total=total, limit=99, game=game)
    default = game.default_action(before, A)
    assert default == number(2, announce, call=True)
    # Nothing above 99 may be said, so nothing is a bust.
    assert game.apply(before, A, default).phase is BloeffPhase.BALLOTS


def test_an_interrupted_penalty_is_drawn_to_its_end_before_the_next_bo_8() -> None:
    game = bloeff()
    before = position("2 3", "1 1 1", total=9, draw_pile="4")
    asked = game.apply(before, A, number(2, 11))
    after = game.apply(asked, DEALER, game.draw(asked, KeyedRandomness(bytes(32))))
    drawn = [(e.count, e.cause) for e in after.news if isinstance(e, CardsDrawn)]
    assert drawn == [(1, DrawCause.MISSED_CALL), (2, DrawCause.BUST)]


def test_penalties_are_parameters_bo_16_17_21() -> None:
    game = bloeff(doubt_penalty=1, bust_penalty=3, call_penalty=5)
    before = position(*HANDS, total=9)
    assert sizes(play(before, number(2, 9), B, game=game))[A] == 2 + 1
    assert sizes(play(before, number(2, 11), game=game))[A] == 2 + 3
    assert sizes(play(position("2 2", "1", total=9), number(2, 9), game=game))[A] == 1 + 5


def test_without_a_penalty_a_caught_last_card_still_ends_the_match_bo_19() -> None:
    game = bloeff(doubt_penalty=0)
    after = play(position("2", "1 1", total=9), number(2, 9), B, game=game)
    assert after.ending is Ending.EMPTY_HAND


def test_the_referee_may_call_for_everybody_bo_16() -> None:
    game = bloeff(call_mode="auto")
    before = position("2 2", "1 1 1")
    after = play(before, number(2, 2), game=game)
    assert sizes(after) == (1, 3)
    assert not game.view(before, A).call_due


def test_a_draw2_may_cost_the_turn_bo_9() -> None:
    game = bloeff(draw2_ends_turn=True)
    after = play(position(*HANDS, waiting={B: "draw2 draw2"}), number(2, 2), game=game)
    assert (after.on_turn, sizes(after)[B], after.waiting[B]) == (C, 5, cards("draw2"))


def test_red_cards_behind_a_draw2_that_costs_the_turn_wait_for_the_next_bo_9() -> None:
    game = bloeff(draw2_ends_turn=True)
    waiting = {B: "draw2 skip draw2"}
    state = play(position("2 2 3 3", "1 1 1", waiting=waiting), number(2, 2), game=game)
    assert (state.on_turn, state.turn, sizes(state)[B]) == (A, 3, 5)
    assert state.waiting[B] == cards("skip draw2")
    # The skip is a turn of its own, and so is the last draw2.
    state = play(state, number(2, 4), game=game)
    assert (state.on_turn, state.turn, state.waiting[B]) == (A, 5, cards("draw2"))
    state = play(state, number(3, 7), game=game)
    assert (state.on_turn, state.turn, state.waiting[B]) == (A, 7, ())


@pytest.mark.parametrize("laid", ["2", "reverse"])
def test_a_card_laid_without_its_call_is_shuffled_in_by_the_penalty_bo_8_16(laid: str) -> None:
    before = position(f"{laid} 3", "1 1 1", total=9, draw_pile="4")
    # Apart from hands and draw pile all cards lie in the centre.
    centre = len(before.seen)
    action = REVERSE if laid == "reverse" else number(2, 11)
    after = play(before, action)
    assert after.phase is BloeffPhase.RESHUFFLE
    assert after.direction == (-1 if laid == "reverse" else 1)
    assert bloeff().view(after, None).centre_pile == centre + 1
    assert len(bloeff().draw(after, KeyedRandomness(bytes(32))).cards) == centre + 1


def test_the_missed_call_is_paid_before_the_bust_bo_16_17() -> None:
    before = position("2 3", "1 1 1", total=9)
    after = play(before, number(2, 11))
    assert [(e.count, e.cause) for e in after.news if isinstance(e, CardsDrawn)] == [
        (2, DrawCause.MISSED_CALL),
        (2, DrawCause.BUST),
    ]
    top = before.draw_pile[:4]
    assert after.hands[A] == tuple(sorted((Card.THREE, *top)))


def test_a_caught_card_may_return_bo_21() -> None:
    game = bloeff(caught_card_returns=True)
    caught = play(position(*HANDS, total=9, draw_pile="4 skip"), number(2, 9), B, game=game)
    assert caught.hands[A] == cards("2 2 3 4 skip")
    # It is in the hand before the penalty is drawn: a reshuffle for that leaves it out.
    last = play(position("2", "1 1", total=9, draw_pile="4"), number(2, 9), B, game=game)
    assert (last.phase, last.hands[A]) == (BloeffPhase.RESHUFFLE, cards("2 4"))
    assert bloeff().draw(last, KeyedRandomness(bytes(32))).cards.count(Card.TWO) == 4
    honest = play(position(*HANDS, total=6), number(2, 8), B, game=game)
    assert sizes(honest)[A] == 2


@pytest.mark.parametrize(
    ("direction", "doubters", "chosen"),
    [(1, (B, C), B), (1, (A, C), A), (-1, (A, B), B), (-1, (A, C), C)],
)
def test_the_doubter_may_be_the_next_in_turn_order_bo_f3(
    direction: int, doubters: tuple[int, ...], chosen: int
) -> None:
    game = bloeff(doubt_choice="turn_order")
    before = position(*HANDS, total=4, on_turn=D, direction=Direction(direction))
    after = play(before, number(4, 4), *doubters, game=game)
    assert after.on_turn == chosen


def test_all_doubts_may_be_published_bo_f2() -> None:
    game = bloeff(publish_ballots="all", doubt_choice="turn_order")
    after = play(position(*HANDS, total=9), number(2, 9), B, D, game=game)
    assert after.news[0] == Doubted(A, B, Card.TWO, 9, 11, False, (B, D))
    assert game.view(after, None) == bloeff().view(after, None)


def test_points_are_parameters_bo_24() -> None:
    game = bloeff(points_blue=3, points_other=5)
    end = play(position("2", "1 skip", "reverse"), number(2, 2), game=game)
    assert game.scores(end) == (0, 8, 5)


def test_only_number_cards_count_as_blue_bo_24() -> None:
    deck = tuple(
        row.model_copy(update={"colour": "blue"}) if row.name == "reverse" else row
        for row in BloeffOptions().deck
    )
    game = bloeff(deck=deck)
    end = play(position("2", "1 reverse"), number(2, 2), game=game)
    assert game.scores(end) == (0, 1 + 2)


def test_fewer_cards_may_decide_equal_points_bo_25() -> None:
    game = bloeff(final_tie="fewest_cards")
    end = play(position("2", "1 1", "skip", "draw2"), number(2, 2))
    assert bloeff().placing(end) == (1, 2, 2, 2)
    assert game.placing(end) == (1, 4, 2, 2)


def test_limits_first_seat_and_the_cap_are_parameters_bo_3_5_23() -> None:
    game = bloeff(limits=(4, 1), first_seat=1, max_turns=2)
    start = game.start(2)
    state = game.apply(start, DEALER, game.draw(start, KeyedRandomness(bytes(32))))
    assert (state.on_turn, game.view(state, None).limit) == (1, 4)
    before = position("2 2 2", "1 1", limit=1, game=game)
    assert play(before, number(2, 2), game=game).ending is Ending.LAST_LIMIT
    capped = position("2 2 2", "1 1", limit=4, turn=2, game=game)
    assert play(capped, number(2, 2), game=game).ending is Ending.TURN_CAP
    assert game.longest(2) == 4


def test_a_skipped_turn_counts_towards_the_cap_bo_23() -> None:
    game = bloeff(max_turns=2)
    after = play(position("skip 1 1", "1 1"), red("skip", B), game=game)
    assert (after.phase, after.turn, after.ending) == (BloeffPhase.OVER, 2, Ending.TURN_CAP)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"players_min": 5, "players_max": 4}, "players_min"),
        ({"players_max": 7}, "no row for 7 seats"),
        ({"first_seat": 2}, "first_seat"),
        ({"limits": (4, 6)}, "limits must fall"),
        ({"limits": ()}, "limits"),
        ({"limits": (100,)}, "limits"),
        ({"deal": (DealRow(seats=2, cards=27),)}, "deal, row 1: 2 × 27 = 54"),
        ({"deal": ()}, "deal"),
        ({"deck": ()}, "deck"),
        ({"deck": BloeffOptions().deck[1:]}, "deck, row 6: no number card has the value -2"),
        ({"deck": BloeffOptions().deck[:7]}, "deck, row 7: the action cards add up to 0"),
        ({"red_order": "newest_first"}, "red_order"),
        ({"max_turns": 0}, "max_turns"),
        ({"max_turns": 10_001}, "max_turns"),
        ({"points_blue": -1}, "points_blue"),
        ({"points_other": 1_001}, "points_other"),
        ({"doubt_penalty": 53}, "doubt_penalty"),
        ({"house": 1}, "house"),
    ],
)
def test_unusable_options_are_refused_by_name(options: Any, reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        BloeffOptions(**options)
