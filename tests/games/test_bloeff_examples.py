"""The worked examples of Blöff's rules, by their numbers; test_bloeff_endings.py has
those of the end."""

from fractions import Fraction

from arena.games.bloeff import (
    Accepted,
    Ballot,
    BloeffPhase,
    BloeffRoundStarted,
    Card,
    CardsDrawn,
    Direction,
    Doubted,
    Doubter,
    DrawCause,
    Ending,
    RedCarriedOut,
    Reshuffle,
)
from arena.games.game import DEALER
from tests.games.bloeff_positions import (
    BLOEFF,
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
from tests.outcomes import outcomes

HANDS = ("2 2 3", "1 1 1", "0 0 0", "4 4 4")
BELOW_ZERO_BLUFF = bloeff(below_zero="bluff")


def test_a_card_above_the_limit_may_pass_for_another_bo_e1() -> None:
    after = play(position(*HANDS, total=9), number(2, 9))
    assert (after.total, after.on_turn, after.round) == (9, B, 1)
    assert after.news == (Accepted(A, 9),)


def test_a_caught_bluffer_draws_and_the_doubter_starts_bo_e2() -> None:
    after = play(position(*HANDS, total=9), number(2, 9), C)
    assert sizes(after) == (4, 3, 3, 3)
    assert (after.on_turn, after.round, after.total) == (C, 2, 0)
    assert BLOEFF.view(after, None).limit == 8
    assert after.news == (
        Doubted(A, C, Card.TWO, 9, 11, False, ()),
        CardsDrawn(A, 2, DrawCause.DOUBT),
        BloeffRoundStarted(2, 8, C),
    )


def test_a_bust_costs_two_cards_and_opens_no_window_bo_e3() -> None:
    after = play(position(*HANDS, total=9), number(2, 11))
    assert after.phase is BloeffPhase.PLAY
    assert sizes(after) == (4, 3, 3, 3)
    assert (after.on_turn, after.round, after.total) == (A, 2, 0)
    assert after.seen == () and after.face_down[A] == (Card.TWO,)


def test_an_honest_card_doubted_costs_the_doubter_bo_e4() -> None:
    after = play(position("1 1 1", "3 3 3", "0", "4 4", total=4, on_turn=B), number(3, 7), D)
    assert sizes(after) == (3, 2, 1, 4)
    assert (after.on_turn, after.round, after.total) == (B, 2, 0)


def test_only_the_last_step_is_checked_bo_e5() -> None:
    before = position("4 4", "4 4", "3 3 3", "1 1", total=4)
    # A and B said less than their cards: 4 + 4 + 1 would be 9, they said 5.
    lied = play(play(before, number(4, 4, call=True)), number(4, 5, call=True))
    assert lied.total == 5
    after = play(lied, number(3, 8), D)
    assert sizes(after) == (1, 1, 2, 4)


def test_the_first_card_of_a_round_counts_from_zero_bo_e6() -> None:
    before = position("4 4 4", "1 1", "1", "0 0")
    assert sizes(play(before, number(4, 4), B)) == (2, 4, 1, 2)
    assert sizes(play(before, number(4, 1), B)) == (4, 2, 1, 2)


def test_a_negative_card_lowers_the_total_bo_e7() -> None:
    before = position("1 1", "-2 -2 3", "1", "0", total=6, on_turn=B)
    assert sizes(play(before, number(-2, 4), C)) == (2, 2, 3, 1)
    assert sizes(play(before, number(-2, 5), C)) == (2, 4, 1, 1)


def test_the_total_is_never_below_zero_bo_e8() -> None:
    before = position("1 1", "-2 -2 3", "1", "0", total=1, on_turn=B)
    assert sizes(play(before, number(-2, 0), C)) == (2, 2, 3, 1)
    assert sizes(play(before, number(-2, 0), C, game=BELOW_ZERO_BLUFF)) == (2, 4, 1, 1)
    for game in (BLOEFF, BELOW_ZERO_BLUFF):
        assert announceable(before, -2, game) == [0, 1, 2, 3, 4, 5]


def test_some_card_must_explain_an_announcement_bo_e9() -> None:
    for total, claimable in ((9, range(7, 14)), (1, range(6)), (0, range(5))):
        before = position(*HANDS, total=total)
        assert announceable(before, 2) == list(claimable)
        view = BLOEFF.view(before, A)
        assert (view.lowest, view.highest) == (claimable[0], claimable[-1])


def test_the_last_round_allows_zero_only_bo_e10() -> None:
    before = position("-2 -1 0 3", "1 1", "1", "0", limit=0)
    for honest in (-2, -1, 0):
        assert sizes(play(before, number(honest, 0), B)) == (3, 4, 1, 1)
    assert sizes(play(before, number(3, 0), B)) == (5, 2, 1, 1)
    for total in (1, 2, 3, 4):
        bust = play(before, number(3, total))
        assert (sizes(bust), bust.phase, bust.ending) == (
            (5, 2, 1, 1),
            BloeffPhase.OVER,
            Ending.LAST_LIMIT,
        )
    for value, honest_card in ((-2, False), (-1, False), (0, True)):
        after = play(before, number(value, 0), B, game=BELOW_ZERO_BLUFF)
        assert sizes(after)[B] == (4 if honest_card else 2)


def test_the_second_to_last_card_must_be_called_bo_e12() -> None:
    before = position("2 reverse", "1 1", "1", "0", total=9)
    assert sizes(play(before, number(2, 9, call=True)))[A] == 1
    assert sizes(play(before, number(2, 9)))[A] == 3
    assert sizes(play(before, REVERSE))[A] == 3
    assert sizes(play(before, number(2, 11)))[A] == 1 + 2 + 2
    assert sizes(play(before, number(2, 11, call=True)))[A] == 1 + 2
    assert play(before, REVERSE).news[-1] == CardsDrawn(A, 2, DrawCause.MISSED_CALL)


def test_a_draw2_is_carried_out_on_the_victims_turn_bo_e17() -> None:
    before = position("draw2 1 1", "1 1 1", "0 0 0", "4 4", draw_pile="3 3 2")
    laid = play(before, red("draw2", C))
    assert (laid.waiting[C], sizes(laid)[C]) == (cards("draw2"), 3)
    on_c = play(laid, number(1, 1))
    assert (on_c.on_turn, on_c.hands[C], on_c.waiting[C]) == (C, cards("0 0 0 3 3"), ())
    assert on_c.phase is BloeffPhase.PLAY
    assert on_c.seen[-1] is Card.DRAW2
    assert on_c.news[-2:] == (RedCarriedOut(C, Card.DRAW2), CardsDrawn(C, 2, DrawCause.DRAW2))


def test_a_skip_ends_the_turn_at_once_but_silences_nobody_bo_e18() -> None:
    before = position("skip 1 1", "1 1 1", "0 0 0", "4 4")
    laid = play(before, red("skip", B))
    assert (laid.on_turn, laid.waiting[B], sizes(laid)[B]) == (C, (), 3)
    window = BLOEFF.apply(laid, C, number(0, 0))
    assert BLOEFF.to_act(window) == (A, B, D)


def test_waiting_red_cards_are_carried_out_oldest_first_bo_e19() -> None:
    hands = ("1 1 1 1", "1", "0 0 0 0", "4 4")
    before = position(*hands, on_turn=C, waiting={D: "draw2 skip skip"})
    first = play(before, number(0, 0))
    assert (first.on_turn, first.waiting[D], sizes(first)[D]) == (A, cards("skip"), 4)
    second = play(position(*hands, on_turn=C, waiting={D: "skip"}), number(0, 0))
    assert (second.on_turn, second.waiting[D], sizes(second)[D]) == (A, (), 2)
    third = play(position(*hands, on_turn=C), number(0, 0))
    assert (third.on_turn, third.phase) == (D, BloeffPhase.PLAY)


def test_a_reverse_turns_the_direction_before_the_next_seat_bo_e20() -> None:
    before = position("1 1 1", "reverse 1 1", "0", "4 4", total=5, on_turn=B)
    after = play(before, REVERSE)
    assert (after.on_turn, after.direction, after.total) == (A, Direction.COUNTERCLOCKWISE, 5)
    assert play(after, number(1, 6)).on_turn == D
    two = play(position("reverse 1 1", "1 1 1"), REVERSE)
    assert two.on_turn == B
    assert play(two, number(1, 1)).on_turn == A


def test_a_skip_before_the_starter_passes_the_start_on_bo_e21() -> None:
    after = play(position(*HANDS, total=9, waiting={C: "skip"}), number(2, 9), C)
    assert (after.on_turn, after.total, after.round) == (D, 0, 2)
    assert after.news[-2:] == (BloeffRoundStarted(2, 8, C), RedCarriedOut(C, Card.SKIP))


def test_an_empty_draw_pile_is_refilled_in_mid_drawing_bo_e22() -> None:
    # 52 cards: 37 in hands, 1 to draw, 14 in the centre pile.
    hands = (
        "2 3",
        "1 1 1 1 1 4 4 4 4 4 2 2",
        "0 0 0 0 0 2 2 3 3 3 3 -1",
        "skip " * 6 + "draw2 " * 5,
    )
    before = position(*hands, total=9, draw_size=1)
    assert (len(before.draw_pile), len(before.seen)) == (1, 14)
    # The missed call draws while A's number card is about to be balloted.
    dry = BLOEFF.apply(before, A, number(2, 9))
    assert (BLOEFF.to_act(dry), sizes(dry)[A], dry.open_card) == (DEALER, 2, Card.TWO)
    drawn = tuple(reversed(before.seen))
    window = BLOEFF.apply(dry, DEALER, Reshuffle(drawn))
    assert (window.phase, sizes(window)[A]) == (BloeffPhase.BALLOTS, 3)
    assert (window.draw_pile, window.seen, window.open_card) == (drawn[1:], (), Card.TWO)
    view = BLOEFF.view(window, None)
    assert (view.draw_pile, view.centre_pile) == (13, 1)


def test_with_both_piles_empty_nothing_is_drawn_bo_e23() -> None:
    rest = list(position("2 3", "1 1", "1", "4").draw_pile)
    crowded = position("2 3", "1 1", "1", "4 " + " ".join(map(str, rest)), total=9)
    assert crowded.draw_pile == crowded.seen == ()
    after = BLOEFF.apply(crowded, A, number(2, 9))
    assert (after.phase, sizes(after)[A]) == (BloeffPhase.BALLOTS, 1)
    assert after.news[-1] == CardsDrawn(A, 0, DrawCause.MISSED_CALL)


def test_one_of_several_doubters_is_drawn_bo_e24() -> None:
    before = position(*HANDS, total=9)
    asked = play(before, number(2, 9), B, D)
    assert BLOEFF.to_act(asked) == DEALER
    chances = dict(outcomes(lambda randomness: BLOEFF.draw(asked, randomness)))
    assert chances == {Doubter(B): Fraction(1, 2), Doubter(D): Fraction(1, 2)}
    wrong = play(position(*HANDS, total=8), number(2, 10), B, D, chosen=D)
    assert sizes(wrong) == (2, 3, 3, 5)
    caught = BLOEFF.apply(asked, DEALER, Doubter(D))
    assert (sizes(caught), caught.on_turn) == ((4, 3, 3, 3), D)
    in_turn = bloeff(doubt_choice="turn_order")
    assert play(before, number(2, 9), B, D, game=in_turn).on_turn == B


def test_a_ballot_that_does_not_arrive_is_no_bo_e25() -> None:
    window = BLOEFF.apply(position(*HANDS, total=9), A, number(2, 9))
    for seat in (B, C, D):
        assert BLOEFF.default_action(window, seat) == Ballot(False)
