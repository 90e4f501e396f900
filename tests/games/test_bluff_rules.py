"""Showdown, elimination, the starting roll and what a seat may know, by the rules' examples."""

import pytest

from arena.games.bluff import (
    Bet,
    BluffRoundStarted,
    CupRoll,
    Doubt,
    Face,
    OpenerDraw,
    StartingRoll,
    StartingRolled,
)
from arena.games.bluff.state import BluffPhase, BluffState
from arena.games.game import DEALER
from arena.randomness import KeyedRandomness
from tests.games.bluff_table import after, bet, bluff, cups_of, dice, rolled, showdown

SHOWDOWNS = [
    # rule, cups, bets before the doubt, actual, losses, next opener
    ("BL-E1", ["2 2 2 2 2", "2 2 2 * *", "* * 1 1 3"], ["10,2"], 12, (0, 2, 0), 0),
    ("BL-E2", ["* * * * *", "* * * 1 2", "3 3 4 4 5"], ["8,*"], 8, (0, 1, 1), 0),
    ("BL-E3", ["4 4 4 4 4", "4 4 4 4 *", "* * * 4 1"], ["12,4"], 14, (0, 2, 0), 0),
    ("BL-E8", ["5 5", "1 2 3 4", "* 1 1"], ["9,5"], 3, (2, 0, 0), 1),
    ("BL-E9", ["4 4 1 2", "4", "1", "2 3"], ["3,4"], 3, (0, 1, 1, 1), 0),
    ("BL-E10", ["3 3", "1", "2"], ["2,3"], 2, (0, 1, 1), 0),
    ("BL-E11", ["3", "*"], ["1,3", "2,3"], 2, (1, 0), 1),
    ("BL-E12", ["* * 1", "* * 2 3 4"], ["5,*"], 4, (1, 0), 1),
    ("BL-E13", ["5 5 *", "1", "5 5 1 2"], ["2,5"], 5, (0, 1, 0), 0),
    ("BL-12: a number does not count for stars", ["5 5", "5 *"], ["1,*"], 1, (0, 1), 0),
    ("BL-21: a seat that is out loses nothing", ["1", "", "2 2"], ["1,1"], 1, (0, 0, 1), 0),
    ("BL-22: the loss is the difference", ["1 2 3 4 5", "1 2 3 4 5"], ["6,1"], 2, (4, 0), 1),
    ("BL-23: no more than one owns", ["1 1", "1 1 1"], ["1,1"], 5, (0, 3), 0),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "cups", "bets", "actual", "losses", "opener"), SHOWDOWNS)
def test_a_doubt_is_settled_as_in(
    rule: str,
    cups: list[str],
    bets: list[str],
    actual: int,
    losses: tuple[int, ...],
    opener: int,
) -> None:
    game = bluff()
    state = after(game, rolled(game, cups), *bets)
    event, end = showdown(game, state)
    assert event.actual == actual
    assert event.losses == losses
    assert event.next_opener == opener
    assert event.dice == tuple(map(dice, cups))
    assert event.bet == bet(bets[-1])
    assert (event.bettor, event.doubter) == (state.bets[-1].seat, state.turn)
    assert end.dice_counts == tuple(
        count - loss for count, loss in zip(state.dice_counts, losses, strict=True)
    )
    assert end.dice_counts[opener] > 0, "the winner of a bet always has dice (BL-24)"


def played_on(state: BluffState, *cups: str) -> BluffState:
    """The next round, rolled as given."""
    return bluff().apply(state, DEALER, CupRoll(tuple(map(dice, cups))))


def test_the_winner_of_a_bet_opens_and_the_turn_goes_on_clockwise() -> None:
    """BL-E8: seat 0 is out, seat 1 opens, and they take turns without it."""
    game = bluff()
    _, end = showdown(game, after(game, rolled(game, ["5 5", "1 2 3 4", "* 1 1"]), "9,5"))
    assert game.to_act(end) is DEALER
    state = played_on(end, "", "1 1 1 1", "2 2 2")
    assert state.round == 2
    assert game.to_act(state) == (1,)
    state = after(game, state, "1,1")
    assert game.to_act(state) == (2,)
    assert game.to_act(after(game, state, "1,2")) == (1,)


def test_the_turn_passes_over_a_seat_without_dice() -> None:
    """BL-E13: seat 1 is out; after the opener seat 2 is on turn."""
    game = bluff()
    _, end = showdown(game, after(game, rolled(game, ["5 5 *", "1", "5 5 1 2"]), "2,5"))
    state = played_on(end, "1 1 1", "", "1 1 1 1")
    assert game.to_act(state) == (0,)
    assert game.to_act(after(game, state, "1,1")) == (2,)


def test_seats_that_go_out_together_share_their_rank() -> None:
    """BL-E9, BL-27"""
    game = bluff()
    _, end = showdown(game, after(game, rolled(game, ["4 4 1 2", "4", "1", "2 3"]), "3,4"))
    state = after(game, played_on(end, "1 1 1 1", "", "", "2"), "1,1")
    _, over = showdown(game, state)
    assert game.to_act(over) == ()
    assert game.placing(over) == (1, 3, 3, 2)
    assert game.scores(over) == (4, 0, 0, 0)


def test_an_exact_bet_can_end_the_match() -> None:
    """BL-E10"""
    game = bluff()
    _, over = showdown(game, after(game, rolled(game, ["3 3", "1", "2"]), "2,3"))
    assert game.placing(over) == (1, 2, 2)
    assert game.scores(over) == (2, 0, 0)


def test_a_one_die_duel_is_won_by_the_exact_bet() -> None:
    """BL-E11"""
    game = bluff()
    _, over = showdown(game, after(game, rolled(game, ["3", "*"]), "1,3", "2,3"))
    assert game.placing(over) == (2, 1)


STARTING_ROLLS = [
    # rule, star value, dice, opener (None: tied), who rolls again
    ("BL-E15", 6, ("5 5 * 1 2", "5 5 4 3 2", "5 5 4 2 1"), None, (0, 1)),
    ("BL-E15", 5, ("5 5 * 1 2", "5 5 4 3 2", "5 5 4 2 1"), 1, ()),
    ("BL-4", 0, ("* * * * *", "1 1 1 1 1", "1 1 1 1 2"), 2, ()),
    ("BL-4", 6, ("* * * * *", "5 5 5 5 5", "1 1 1 1 2"), 0, ()),
    ("BL-4", 6, ("1 1 1 1 1", "1 1 1 1 1", "1 1 1 1 1"), None, (0, 1, 2)),
]


@pytest.mark.parametrize(("rule", "star", "rolls", "opener", "again"), STARTING_ROLLS)
def test_the_largest_starting_roll_opens_as_in(
    rule: str, star: int, rolls: tuple[str, ...], opener: int | None, again: tuple[int, ...]
) -> None:
    game = bluff(start_star_value=star)
    start = game.start(3)
    roll = StartingRoll(tuple(map(dice, rolls)))
    state = game.apply(start, DEALER, roll)
    assert game.events(start, DEALER, roll, state) == (StartingRolled(roll.dice, opener),)
    assert state.opener == opener
    assert (state.starting.seats if state.starting else ()) == again
    assert state.phase is (BluffPhase.ROLL if opener is not None else BluffPhase.STARTING_ROLL)


def test_only_tied_seats_roll_again() -> None:
    """BL-4, BL-E15"""
    game = bluff()
    first = StartingRoll(tuple(map(dice, ("5 5 * 1 2", "5 5 4 3 2", "5 5 4 2 1"))))
    state = game.apply(game.start(3), DEALER, first)
    draw = game.draw(state, KeyedRandomness(bytes(32)))
    assert isinstance(draw, StartingRoll)
    assert [len(cup) for cup in draw.dice] == [5, 5, 0]


@pytest.mark.parametrize("rerolls", [0, 1, 10])
def test_after_the_allowed_ties_the_opener_is_drawn_among_the_tied(rerolls: int) -> None:
    """BL-4"""
    game = bluff(start_rerolls=rerolls, dice_per_player=1)
    state = game.apply(game.start(3), DEALER, StartingRoll((dice("5"), dice("5"), dice("1"))))
    for _ in range(rerolls):
        assert state.phase is BluffPhase.STARTING_ROLL
        state = game.apply(state, DEALER, StartingRoll((dice("2"), dice("2"), ())))
    assert state.phase is BluffPhase.OPENER_DRAW
    drawn = {game.draw(state, KeyedRandomness(bytes([n]) * 32)) for n in range(20)}
    assert drawn == {OpenerDraw(0), OpenerDraw(1)}
    state = game.apply(state, DEALER, OpenerDraw(1))
    assert (state.phase, state.round, state.opener) == (BluffPhase.ROLL, 1, 1)


def test_without_a_starting_roll_seat_0_opens() -> None:
    """BL-4 with start_mode = seat"""
    game = bluff(start_mode="seat")
    start = game.start(4)
    roll = game.draw(start, KeyedRandomness(bytes(32)))
    state = game.apply(start, DEALER, roll)
    assert game.events(start, DEALER, roll, state) == (BluffRoundStarted(1, 0, (5, 5, 5, 5)),)
    assert game.to_act(state) == (0,)


def test_a_seat_sees_its_own_dice_and_everything_public() -> None:
    """BL-29"""
    game = bluff(dice_per_player=3)
    _, end = showdown(game, after(game, rolled(game, ["5 1 1", "1 2 3", "* 1"]), "3,5"))
    state = after(game, played_on(end, "2 2", "3 3 3", "4 4"), "2,3")
    view = game.view(state, 0)
    assert view.hidden_dice == dice("2 2")
    assert (view.seat, view.round, view.opener, view.to_act) == (0, 2, 1, 2)
    assert view.dice_counts == (2, 3, 2)
    assert view.graveyard == 2
    assert [(placed.seat, placed.bet) for placed in view.bets] == [(1, bet("2,3"))]
    assert view.lowest == (3, 3, 3, 2, 2, 2)
    assert view.highest == 7
    assert view.can_doubt
    assert game.view(state, None).hidden_dice == ()


def test_nobody_may_bet_while_the_dealer_acts_or_after_the_end() -> None:
    game = bluff()
    _, over = showdown(game, after(game, rolled(game, ["3 3", "1", "2"]), "2,3"))
    for state in (game.start(3), over):
        for seat in (None, 0, 1, 2):
            view = game.view(state, seat)
            assert view.to_act is None
            assert not view.can_doubt
            assert min(view.lowest) > view.highest
    assert game.view(game.start(3), None).round == 0


def test_a_silent_seat_doubts_or_bets_the_least() -> None:
    """BL-31"""
    game = bluff()
    state = rolled(game, cups_of(5, 5))
    assert game.default_action(state, 0) == Bet(1, Face.ONE)
    assert game.default_action(after(game, state, "1,1"), 1) == Doubt()


@pytest.mark.parametrize(
    ("options", "seats", "most"),
    [
        ({}, 6, 2784 + 29),
        ({}, 2, 6 * 54 + 9),
        ({"dice_per_player": 1}, 2, 6 * 2 + 1),
        ({"dice_per_player": 1, "bet_cap": "table"}, 2, 6 * 99 + 1),
        ({"dice_per_player": 2, "bet_cap": "table"}, 3, 5 * (6 * 99 + 1)),
        ({"show_and_reroll": True}, 6, 2784 + 29),
    ],
)
def test_the_longest_match_has_every_bet_of_every_round(
    options: dict[str, object], seats: int, most: int
) -> None:
    """BL-28"""
    assert bluff(**options).longest(seats) == most


def test_a_match_can_be_as_long_as_promised() -> None:
    """BL-28: every bet is placed before the doubt, and the loser loses a die or more."""
    game = bluff(dice_per_player=1, start_mode="seat")
    state, actions = rolled(game, ["*", "*"]), 0
    while game.to_act(state) != ():
        assert state.turn is not None
        legal = list(game.legal_actions(state, state.turn))
        state = after(game, state, legal[1] if len(legal) > 1 and actions else legal[0])
        actions += 1
    assert actions == game.longest(2)
