"""Blöff's rules beyond the worked examples: set-up, ballots, dealer, and defaults."""

from typing import Any

import pytest

from arena.games.bloeff import (
    Action,
    Announcement,
    Ballot,
    BloeffPhase,
    BloeffRoundStarted,
    BloeffState,
    Card,
    CardsDrawn,
    Deal,
    Dealt,
    Direction,
    Doubted,
    DrawCause,
    NumberPlayed,
    Red,
    RedPlayed,
    Reshuffle,
    Reshuffled,
)
from arena.games.game import DEALER
from arena.randomness import KeyedRandomness
from tests.games.bloeff_positions import (
    BLOEFF,
    A,
    B,
    C,
    D,
    bloeff,
    cards,
    number,
    play,
    position,
    red,
    sizes,
)

HANDS = ("2 3 reverse", "1 1 skip", "0 0 draw2", "4 4 4")
BUST_OF_THREE = bloeff(bust_penalty=3)
KEY = KeyedRandomness(bytes(32))


def window() -> BloeffState:
    """A has announced 9; B, C and D are asked."""
    return BLOEFF.apply(position(*HANDS, total=9), A, number(2, 9))


@pytest.mark.parametrize(("seats", "dealt"), [(2, 10), (3, 9), (4, 8), (5, 7), (6, 6)])
def test_hands_are_dealt_by_the_number_of_seats_bo_4(seats: int, dealt: int) -> None:
    start = BLOEFF.start(seats)
    deal = BLOEFF.draw(start, KEY)
    assert isinstance(deal, Deal)
    after = BLOEFF.apply(start, DEALER, deal)
    assert after.hands[1] == tuple(sorted(deal.cards[dealt : 2 * dealt]))
    assert after.draw_pile == deal.cards[seats * dealt :]
    assert after.news == (Dealt((dealt,) * seats, 52 - seats * dealt), BloeffRoundStarted(1, 10, 0))
    view = BLOEFF.view(after, None)
    assert (view.limit, view.total, view.centre_pile) == (10, 0, 0)
    assert (view.to_act, view.direction) == ((0,), Direction.CLOCKWISE)


def test_a_red_card_is_aimed_at_any_other_seat_bo_13() -> None:
    legal = set(BLOEFF.legal_actions(position(*HANDS, on_turn=B), B))
    assert {a.target for a in legal if isinstance(a, Red)} == {A, C, D}


def test_an_action_card_leaves_the_total_and_opens_no_window_bo_15() -> None:
    after = play(position(*HANDS, total=7, on_turn=C), red("draw2", A))
    assert (after.total, after.phase, after.waiting[D]) == (7, BloeffPhase.PLAY, ())


def test_a_needless_call_is_neither_heard_nor_told_bo_16() -> None:
    before = position(*HANDS)
    loud = BLOEFF.apply(before, A, number(2, 2, call=True))
    quiet = BLOEFF.apply(before, A, number(2, 2))
    assert loud == quiet
    assert loud.news == quiet.news == (NumberPlayed(A, 2, False),)


def test_a_due_call_is_told_bo_27() -> None:
    before = position("skip 2", "1 1", "0")
    assert play(before, red("skip", C, call=True)).news == (RedPlayed(A, Card.SKIP, C, True),)
    assert [BLOEFF.view(before, seat).call_due for seat in (A, B, None)] == [True, False, False]


def test_a_seat_may_bust_although_it_need_not_bo_17() -> None:
    after = play(position(*HANDS, total=7), number(3, 11))
    assert (after.round, after.on_turn, sizes(after)[A]) == (2, A, 4)


def test_a_bust_with_the_card_unseen_is_known_to_its_player_only_bo_17() -> None:
    after = play(position(*HANDS, total=9), number(3, 12))
    assert [BLOEFF.view(after, seat).face_down for seat in (A, B, None)] == [cards("3"), (), ()]
    assert BLOEFF.view(after, None).seen == ()


def test_direction_hands_and_waiting_cards_outlive_a_round_bo_22() -> None:
    before = position(
        *HANDS, total=9, direction=Direction.COUNTERCLOCKWISE, waiting={B: "skip draw2"}
    )
    after = play(before, number(2, 11))
    assert after.direction is Direction.COUNTERCLOCKWISE
    assert after.waiting[B] == cards("skip draw2")
    assert play(after, number(3, 3)).on_turn == D


def test_a_busted_seat_starts_the_next_round_wherever_it_sits_bo_17_22() -> None:
    after = play(position("1 1 1", "2 2 2", "3 3 3", total=9, on_turn=C), number(3, 12))
    assert BloeffRoundStarted(2, 8, C) in after.news
    assert after.on_turn == C


def test_a_new_round_begins_without_total_and_announcements_bo_22() -> None:
    state = play(position("1 1 1", "2 2 2", "3 3 3"), number(1, 1))
    assert BLOEFF.view(state, None).announcements == (Announcement(A, 1),)
    view = BLOEFF.view(play(state, number(2, 2), C), None)
    assert (view.round, view.total, view.announcements) == (2, 0, ())


def test_cards_in_front_of_seats_count_for_nobody_bo_24() -> None:
    after = play(position("2", "1", "0", waiting={B: "skip skip"}), number(2, 2))
    assert BLOEFF.scores(after) == (0, 1, 1)


def test_the_card_being_balloted_is_known_to_its_player_alone_bo_27() -> None:
    assert BLOEFF.view(window(), A).face_down == cards("2")
    assert [BLOEFF.view(window(), seat).face_down for seat in (B, None)] == [(), ()]


def test_a_call_is_due_with_two_cards_and_no_others_bo_16() -> None:
    hands = ("1 2 3", "1 2", "1")
    due = [BLOEFF.view(position(hand, "4 4 4"), A).call_due for hand in hands]
    assert due == [False, True, False]


def test_all_other_seats_are_asked_at_once_and_nobody_sees_who_answered_bo_f2() -> None:
    before = window()
    assert BLOEFF.to_act(before) == (B, C, D)
    after = BLOEFF.apply(before, C, Ballot(True))
    assert BLOEFF.to_act(after) == (B, D)
    assert BLOEFF.events(before, C, Ballot(True), after) == ()
    for seat in (None, A, B, C, D):
        assert BLOEFF.view(after, seat) == BLOEFF.view(before, seat)
        assert BLOEFF.view(after, seat).to_act == (B, C, D)


def test_that_several_seats_doubt_is_not_seen_before_one_is_chosen_bo_f2() -> None:
    asked = play(position(*HANDS, total=9), number(2, 9), B, D)
    assert asked.news == ()
    for seat in (None, A, B, C, D):
        assert BLOEFF.view(asked, seat) == BLOEFF.view(window(), seat)


def test_only_the_chosen_doubter_is_published_bo_f2() -> None:
    after = play(position(*HANDS, total=9), number(2, 9), B, D, chosen=D)
    assert after.news[0] == Doubted(A, D, Card.TWO, 9, 11, False, ())


def test_the_order_of_ballots_does_not_matter_bo_f1() -> None:
    first, second = window(), window()
    for seat in (B, C, D):
        first = BLOEFF.apply(first, seat, Ballot(seat == C))
    for seat in (D, C, B):
        second = BLOEFF.apply(second, seat, Ballot(seat == C))
    assert first == second


def test_draws_are_keyed_by_what_they_are_bo_f3() -> None:
    keys: list[str] = []

    class Listening:
        def below(self, key: str, bound: int) -> int:
            keys.append(key)
            return 0

    BLOEFF.draw(BLOEFF.start(2), Listening())
    BLOEFF.draw(play(position(*HANDS, total=9, turn=17), number(2, 9), B, D), Listening())
    dry = position("2 3", "1 1", draw_pile="", total=9)
    BLOEFF.draw(BLOEFF.apply(dry, A, number(2, 9)), Listening())
    assert keys[:2] == ["deal 51", "deal 50"]
    assert keys[51] == "doubter 17"
    assert keys[52] == f"recycle 1 {len(dry.seen) - 1}"


def test_a_red_card_being_carried_out_is_not_shuffled_in_bo_8() -> None:
    before = position("1 1 1", "4 4 4", waiting={B: "draw2 skip"}, draw_pile="3")
    dry = play(before, number(1, 1))
    assert dry.phase is BloeffPhase.RESHUFFLE
    assert dry.waiting[B] == cards("draw2 skip")
    assert dry.news[-1] == CardsDrawn(B, 1, DrawCause.DRAW2)
    draw = BLOEFF.draw(dry, KEY)
    assert isinstance(draw, Reshuffle)
    # 52 cards without 2 + 4 in hands and 2 waiting; A's accepted card is shuffled in.
    assert len(draw.cards) == 44
    after = BLOEFF.apply(dry, DEALER, draw)
    assert (after.on_turn, after.waiting[B], sizes(after)) == (A, (), (2, 5))
    assert after.seen == cards("draw2 skip")


def test_a_drawing_stops_short_when_the_reshuffled_cards_are_too_few_bo_8() -> None:
    rest = position("2 2 2", "1 1").draw_pile
    before = position(
        "2 2 2", "1 1 " + " ".join(map(str, rest)), draw_pile="", total=9, game=BUST_OF_THREE
    )
    dry = play(before, number(2, 11), game=BUST_OF_THREE)
    # Only the busted card itself is there to be shuffled.
    after = BUST_OF_THREE.apply(dry, DEALER, Reshuffle(cards("2")))
    assert (sizes(after)[A], after.draw_pile, after.seen) == (3, (), ())
    assert after.news[:2] == (Reshuffled(1), CardsDrawn(A, 1, DrawCause.BUST))
    assert (after.phase, after.round) == (BloeffPhase.PLAY, 2)


@pytest.mark.parametrize(
    ("hand", "total", "expected"),
    [
        ("-1 2 skip", 5, number(-1, 4, call=True)),
        ("-2 2 skip", 1, number(-2, 0, call=True)),
        ("3 4 skip", 9, number(3, 12, call=True)),
        ("skip reverse draw2", 5, Action(Card.REVERSE, True)),
        ("skip draw2", 5, red("draw2", B, call=True)),
        ("skip", 5, red("skip", B, call=True)),
    ],
)
def test_a_silent_seat_plays_its_smallest_number_honestly_bo_28(
    hand: str, total: int, expected: Any
) -> None:
    before = position(hand, "1 1", "0", total=total)
    assert BLOEFF.default_action(before, A) == expected
    assert expected in set(BLOEFF.legal_actions(before, A))


def test_a_silent_seat_never_announces_below_zero_bo_28() -> None:
    game = bloeff(below_zero="bluff")
    before = position("-2 2", "1 1", total=1, game=game)
    assert game.default_action(before, A) == number(-2, 0, call=True)


def test_a_silent_seat_aims_at_the_next_seat_in_the_direction_bo_28() -> None:
    before = position("skip skip", "1", "0", direction=Direction.COUNTERCLOCKWISE)
    assert BLOEFF.default_action(before, A) == red("skip", C, call=True)
