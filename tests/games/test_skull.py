"""The rules of Skull by example; rule numbers are those of docs/games/skull.md."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from arena.games import make_game
from arena.games.game import DEALER, IllegalActionError
from arena.games.skull import (
    Bid,
    BidMade,
    ChallengeBegun,
    Disc,
    DiscLost,
    Discs,
    DiscTurned,
    DrawnLoss,
    FirstSeat,
    Lose,
    Pass,
    Place,
    PointWon,
    SkullPhase,
    SkullRoundStarted,
    SkullState,
    TurnOver,
)

FLOWER, SKULL = Place(Disc.FLOWER), Place(Disc.SKULL)


class Table:
    """A match that seat 0 opens, unless another is drawn."""

    def __init__(self, seats: int = 3, opener: int | None = None, **options: object) -> None:
        first = {"first": "seat"} if opener is None else {}
        self.game = make_game("skull", {**first, **options})
        self.state: SkullState = self.game.start(seats)
        self.events: tuple[Any, ...] = ()
        if opener is not None:
            self.do(DEALER, FirstSeat(opener))

    def do(self, actor: Any, *actions: Any) -> "Table":
        """Play actions of one actor."""
        for action in actions:
            after = self.game.apply(self.state, actor, action)
            self.events = self.game.events(self.state, actor, action, after)
            self.state = after
        return self

    def all_lay(self, *places: Place) -> "Table":
        """The sealed discs of the seats in play, in seat order."""
        asked = self.game.to_act(self.state)
        assert self.state.phase is SkullPhase.PLACE and asked is not DEALER
        for seat, place in zip(asked, places, strict=True):
            self.do(seat, place)
        return self

    def asked(self) -> Any:
        return self.game.to_act(self.state)

    def choices(self, seat: int) -> list[Any]:
        return list(self.game.legal_actions(self.state, seat))


def lost(table: Table, challenger: int, times: int) -> Table:
    """A challenger that loses discs to its own skull, flowers first, and opens again."""
    for _ in range(times):
        seats = [seat for seat in table.state.seats if table.state.plays(seat)]
        for seat in seats:
            table.do(seat, SKULL if seat == challenger else FLOWER)
        table.do(challenger, Bid(len(seats)))
        table.do(challenger, Lose(table.state.owned[challenger].kinds()[0]))
    return table


def test_each_seat_owns_three_flowers_and_a_skull() -> None:  # SK-1
    assert Table().state.owned == (Discs(3, 1),) * 3
    assert Table(flowers=5).state.owned == (Discs(5, 1),) * 3


@pytest.mark.parametrize("opener", [0, 2])
def test_the_drawn_seat_opens(opener: int) -> None:  # SK-2
    table = Table(opener=opener).all_lay(FLOWER, FLOWER, FLOWER)
    assert table.asked() == (opener,)
    assert table.events == (SkullRoundStarted(1, opener),)


def test_the_first_discs_are_laid_at_the_same_moment() -> None:  # SK-4
    table = Table()
    assert table.asked() == (0, 1, 2)
    table.do(0, SKULL)
    assert table.events == () and table.asked() == (1, 2)
    assert table.game.view(table.state, 1).mats == (1, 0, 0)
    assert table.game.view(table.state, 1).own_mat == ()


def test_an_empty_hand_must_bid_and_nobody_passes_before_a_bid() -> None:  # SK-5
    table = Table(2, flowers=1).all_lay(FLOWER, FLOWER)
    assert table.choices(0) == [SKULL, Bid(1), Bid(2)]
    table.do(0, SKULL).do(1, SKULL)
    assert table.choices(0) == [Bid(1), Bid(2), Bid(3), Bid(4)]


def test_after_the_first_bid_nobody_lays_a_disc() -> None:  # SK-6
    table = Table().all_lay(FLOWER, FLOWER, FLOWER).do(0, Bid(1))
    assert table.choices(1) == [Pass(), Bid(2), Bid(3)]


def test_who_has_passed_stays_out_of_the_bidding() -> None:  # SK-7
    table = Table(4).all_lay(*[FLOWER] * 4)
    table.do(0, Bid(1)).do(1, Pass()).do(2, Bid(2)).do(3, Pass())
    assert table.asked() == (0,)
    table.do(0, Bid(3))
    assert table.asked() == (2,)


def test_a_bid_of_the_maximum_ends_the_bidding_at_once() -> None:  # SK-7, SK-E1
    table = Table().all_lay(FLOWER, FLOWER, FLOWER)
    table.do(0, FLOWER).do(1, Bid(2)).do(2, Bid(4))
    assert table.events == (BidMade(2, 4), ChallengeBegun(2, 4), DiscTurned(2, Disc.FLOWER))
    assert table.asked() == (2,) and table.state.phase is SkullPhase.CHALLENGE


def test_so_does_a_first_bid_of_the_maximum() -> None:  # SK-7
    table = Table().all_lay(FLOWER, FLOWER, FLOWER).do(0, Bid(3))
    assert table.state.phase is SkullPhase.CHALLENGE


def test_the_own_mat_is_turned_over_from_the_top_until_the_bid_is_met() -> None:  # SK-9, SK-E2
    table = Table().all_lay(SKULL, FLOWER, FLOWER)
    table.do(0, FLOWER).do(1, FLOWER).do(2, FLOWER)
    table.do(0, Bid(1)).do(1, Pass()).do(2, Pass())
    assert DiscTurned(0, Disc.FLOWER) in table.events and PointWon(0, 1) in table.events
    assert table.state.points == (1, 0, 0) and table.state.owned == (Discs(3, 1),) * 3  # SK-11


def test_of_three_discs_the_one_in_the_middle_is_turned_over_second() -> None:  # SK-9
    table = Table().all_lay(SKULL, FLOWER, FLOWER)
    table.do(0, FLOWER).do(1, FLOWER).do(2, FLOWER)
    table.do(0, FLOWER).do(1, Bid(2)).do(2, Bid(3)).do(0, Bid(4)).do(1, Pass()).do(2, Pass())
    assert table.events[-3:] == (
        *[DiscTurned(0, Disc.FLOWER)] * 2,
        DiscTurned(0, Disc.SKULL),
    )


def test_a_skull_below_the_flower_costs_a_disc_of_choice() -> None:  # SK-12, SK-E2
    table = Table().all_lay(SKULL, FLOWER, FLOWER)
    table.do(0, FLOWER).do(1, FLOWER).do(2, FLOWER)
    table.do(0, Bid(2)).do(1, Pass()).do(2, Pass())
    assert table.events[-2:] == (DiscTurned(0, Disc.FLOWER), DiscTurned(0, Disc.SKULL))
    assert table.asked() == (0,) and table.choices(0) == [Lose(Disc.FLOWER), Lose(Disc.SKULL)]
    table.do(0, Lose(Disc.SKULL))
    assert table.events == (DiscLost(0, 3),) and table.state.owned[0] == Discs(3, 0)
    assert table.state.opener == 0  # SK-14


def test_anothers_skull_costs_a_disc_by_chance() -> None:  # SK-12, SK-19
    table = Table().all_lay(FLOWER, SKULL, FLOWER).do(0, Bid(3)).do(0, TurnOver(1))
    assert table.asked() is DEALER
    chances = table.game.chance_outcomes(table.state)
    assert {draw.disc: chance * 4 for draw, chance in chances.items()} == {
        Disc.FLOWER: 3,
        Disc.SKULL: 1,
    }
    table.do(DEALER, DrawnLoss(Disc.FLOWER))
    assert table.state.owned[0] == Discs(2, 1)
    for seat, known in ((0, Discs(2, 1)), (1, Discs(3, 1))):
        assert table.game.view(table.state, seat).hand == known
    assert table.game.view(table.state, 2).discs == (3, 4, 4)


def test_the_challenger_names_one_mat_after_the_other() -> None:  # SK-10, SK-E5
    table = Table().all_lay(FLOWER, FLOWER, FLOWER).do(0, FLOWER).do(1, FLOWER).do(2, FLOWER)
    table.do(0, FLOWER).do(1, Bid(3)).do(2, Pass()).do(0, Pass())
    assert table.events[1:] == (ChallengeBegun(1, 3), *[DiscTurned(1, Disc.FLOWER)] * 2)
    assert table.choices(1) == [TurnOver(0), TurnOver(2)]
    table.do(1, TurnOver(0))
    assert table.events == (DiscTurned(0, Disc.FLOWER), PointWon(1, 1))


def test_the_owner_of_the_skull_opens_if_the_challenger_is_out() -> None:  # SK-14, SK-E3
    table = lost(Table(), 0, 3)
    assert table.state.owned[0] == Discs(0, 1)
    table = Table(flowers=1)
    table = lost(table, 0, 1)
    table.state = _with_owned(table.state, {0: Discs(1, 0)})
    table.all_lay(FLOWER, FLOWER, SKULL).do(0, Bid(3)).do(0, TurnOver(2))
    table.do(DEALER, DrawnLoss(Disc.FLOWER))
    assert table.events == (DiscLost(0, 0),)
    assert table.state.opener == 2 and table.asked() == (1, 2)


def test_the_next_seat_opens_if_the_challengers_own_skull_was_its_last_disc() -> None:  # SK-14
    table = lost(Table(4), 0, 4)
    assert not table.state.plays(0) and table.state.opener == 1


def test_a_last_skull_may_be_laid_and_any_bid_it_wins_shows_it() -> None:  # SK-E4
    table = lost(Table(2), 0, 3).all_lay(SKULL, FLOWER)
    assert table.choices(0) == [Bid(1), Bid(2)]
    table.do(0, Bid(1)).do(1, Pass())
    assert table.events[-1] == DiscTurned(0, Disc.SKULL)
    table.do(0, Lose(Disc.SKULL))
    assert table.asked() == () and table.game.placing(table.state) == (2, 1)  # SK-15


def test_two_points_win_at_once() -> None:  # SK-15
    table = Table()
    for points in (1, 2):
        table.all_lay(FLOWER, FLOWER, FLOWER).do(0, Bid(1)).do(1, Pass()).do(2, Pass())
        assert table.state.points[0] == points
    assert table.asked() == ()
    assert table.game.scores(table.state) == (2, 0, 0)
    assert table.game.placing(table.state) == (1, 2, 2)


def test_ranks_are_by_points_then_discs_then_who_was_out_later() -> None:  # SK-16
    table = Table(6)
    end = _with_owned(
        table.state,
        {0: Discs(3, 1), 1: Discs(1, 0), 2: Discs(0, 1), 3: Discs(0, 0), 4: Discs(0, 0)},
    )
    end = _changed(end, phase=SkullPhase.OVER, points=(0, 1, 0, 0, 0, 2), out_in=(0, 0, 0, 4, 7, 0))
    assert table.game.placing(end) == (3, 2, 4, 6, 5, 1)
    alone = _with_owned(end, {0: Discs(0, 0), 1: Discs(0, 0), 5: Discs(0, 0)})
    alone = _changed(alone, points=(1, 1, 0, 0, 0, 1), out_in=(3, 5, 0, 4, 7, 6))
    assert table.game.placing(alone) == (4, 3, 1, 6, 5, 2)


def test_a_silent_seat_is_played_for() -> None:  # SK-17
    table = Table(2, flowers=1)
    default = table.game.default_action
    assert default(table.state, 0) == FLOWER
    table.all_lay(FLOWER, SKULL)
    assert default(table.state, 0) == SKULL
    table.do(0, SKULL).do(1, FLOWER)
    assert default(table.state, 0) == Bid(1)
    table.do(0, Bid(1))
    assert default(table.state, 1) == Pass()
    table.do(1, Pass())
    assert default(table.state, 0) == Lose(Disc.FLOWER)
    table = Table(4).all_lay(*[FLOWER] * 4).do(0, FLOWER).do(1, FLOWER).do(2, Bid(6))
    assert default(table.state, 2) == TurnOver(3)
    table.do(2, TurnOver(3))
    assert default(table.state, 2) == TurnOver(0)


def test_a_bid_is_a_number() -> None:
    table = Table().all_lay(FLOWER, FLOWER, FLOWER)
    for count in (True, 1.0, 0, 4, -1):
        with pytest.raises(IllegalActionError, match="bid 1 to 3"):
            table.do(0, Bid(count))  # type: ignore[arg-type]


@pytest.mark.parametrize("first", ["drawn", "seat"])
def test_the_opener_is_drawn_only_where_the_option_says_so(first: str) -> None:  # SK-2
    game = make_game("skull", {"first": first})
    assert (game.to_act(game.start(3)) is DEALER) == (first == "drawn")


def _with_owned(state: SkullState, owned: Mapping[int, Discs]) -> SkullState:
    return _changed(
        state, owned=tuple(owned.get(seat, own) for seat, own in enumerate(state.owned))
    )


def _changed(state: SkullState, **members: Any) -> SkullState:
    return replace(state, **members)
