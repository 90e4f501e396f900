"""The worked examples about the end of a match: BO-E11, E13 to E16, E26 to E28."""

from arena.games.bloeff import (
    BloeffPhase,
    DeckRow,
    Ending,
    MatchEnded,
)
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

HANDS = ("2 2 3", "1 1 1", "0 0 0", "4 4 4")


def test_points_count_the_penalty_of_the_last_round_bo_e11() -> None:
    before = position("1 1", "1", "3 2 2", "0", limit=0, on_turn=C, draw_pile="skip 4 4")
    after = play(before, number(3, 0), A)
    assert after.hands[C] == cards("2 2 4 skip")
    assert BLOEFF.to_act(after) == ()
    assert BLOEFF.scores(after) == (2, 1, 5, 1)
    assert after.news[-1] == MatchEnded(Ending.LAST_LIMIT, (2, 1, 5, 1))


def test_a_last_card_in_the_last_round_ends_the_match_by_its_limit_bo_23() -> None:
    # The sequence of a turn: first the round with limit 0, then the empty hand.
    after = play(position("0", "1 1", limit=0), number(0, 0), B)
    assert (after.hands[A], after.ending) == ((), Ending.LAST_LIMIT)


LAST_CARD = position("4", "1 1", "1", "0 0", total=3, limit=6)


def test_the_last_card_undoubted_ends_the_match_bo_e13() -> None:
    after = play(LAST_CARD, number(4, 6))
    assert after.ending is Ending.EMPTY_HAND
    assert BLOEFF.scores(after) == (0, 2, 1, 2)
    assert BLOEFF.placing(after) == (1, 3, 2, 3)


def test_the_last_card_caught_keeps_its_player_in_bo_e14() -> None:
    after = play(LAST_CARD, number(4, 6), D)
    assert sizes(after) == (2, 2, 1, 2)
    assert (after.phase, after.on_turn, after.round) == (BloeffPhase.PLAY, D, 4)
    assert BLOEFF.view(after, D).limit == 4


def test_the_last_card_honest_and_doubted_ends_the_match_bo_e15() -> None:
    after = play(position("2", "1 1", "1", "0 0", total=3, limit=6), number(2, 5), B)
    assert after.ending is Ending.EMPTY_HAND
    assert sizes(after) == (0, 4, 1, 2)
    assert BLOEFF.scores(after)[B] >= 4


def test_the_last_card_in_a_bust_brings_two_new_ones_bo_e16() -> None:
    after = play(LAST_CARD, number(4, 7))
    assert (sizes(after)[A], after.on_turn, after.round) == (2, A, 4)
    last_round = position("4", "1", "1", "0", limit=0, draw_pile="skip 3")
    end = play(last_round, number(4, 4))
    assert end.ending is Ending.LAST_LIMIT
    assert BLOEFF.scores(end) == (3, 1, 1, 1)


SCORED = ("2", "3 0 skip", "-1 2 4 4", "reverse draw2")


def test_points_make_ranks_and_equal_points_share_one_bo_e26() -> None:
    end = play(position(*SCORED), number(2, 2))
    assert BLOEFF.scores(end) == (0, 4, 4, 4)
    assert BLOEFF.placing(end) == (1, 2, 2, 2)
    rows = BLOEFF.options.deck
    pale = tuple(
        DeckRow.model_validate({**row.model_dump(), "colour": "green"}) if row.name == "-1" else row
        for row in rows
    )
    other = bloeff(deck=pale)
    assert other.scores(end) == (0, 4, 5, 4)
    assert other.placing(end) == (1, 2, 4, 2)


def test_a_red_last_card_has_no_effect_any_more_bo_e27() -> None:
    after = play(position("draw2", "1 1", "0", "4"), red("draw2", B))
    assert (after.ending, sizes(after)) == (Ending.EMPTY_HAND, (0, 2, 1, 1))
    assert BLOEFF.scores(after) == (0, 2, 1, 1)


def test_after_turn_200_points_are_counted_bo_e28() -> None:
    before = position(*HANDS, turn=200)
    after = play(before, number(2, 2))
    assert (after.ending, after.turn) == (Ending.TURN_CAP, 200)
    assert BLOEFF.scores(after) == (2, 3, 3, 3)
    assert play(position(*HANDS, turn=199), number(2, 2)).phase is BloeffPhase.PLAY
