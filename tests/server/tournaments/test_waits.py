"""For which bots and slots a tournament waits, and for how long."""

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction

import pytest

from arena.records import Registered, TournamentId
from arena.server.tournaments.summary import walkover_blocks
from arena.server.tournaments.tournament import TournamentState
from tests.server.ladder.arrivals import Habit
from tests.server.tournaments.cups import CupWorld, counted, gone_to
from tests.waiting import until_async


@pytest.mark.slow
async def test_tables_of_a_bot_that_stays_away_are_walkovers_and_the_others_play_on(
    searching: CupWorld,
) -> None:
    a, b, c = searching.field(*"abc")
    searching.director.depart(c)
    searching.cup([a, b, c], blocks=2, patience=60)
    await searching.play(30)
    assert searching.state() is TournamentState.FINISHED
    assert counted(searching) == {("a", "b"): 2}
    record = await searching.record()
    assert [set(absent) for absent in record.forfeits.values()] == [{3}, {3}]
    assert walkover_blocks(record) == 4
    lines = record.tournament.plan.standings(3, record.played())
    assert lines[-1].entry == 3 and lines[-1].points == 0
    assert sum((line.points for line in lines), Fraction(0)) == 6


async def test_tables_of_a_connected_bot_that_declines_them_all_are_walkovers(
    searching: CupWorld,
) -> None:
    guests = [*searching.field(*"ab"), searching.arrive("c", habit=Habit.DECLINES)]
    searching.cup(guests, patience=60)
    await searching.play(60)
    assert searching.state() is TournamentState.FINISHED
    assert counted(searching) == {("a", "b"): 1}
    record = await searching.record()
    assert [set(absent) for absent in record.forfeits.values()] == [{3}, {3}]


async def test_a_connected_bot_that_declines_once_is_not_taken_for_absent(
    searching: CupWorld,
) -> None:
    a, b = searching.arrive("a"), searching.arrive("b", habit=Habit.DECLINES)
    searching.cup([a, b], patience=5)
    await searching.play(2)
    b.habit = Habit.PLAYS
    await searching.play(20)
    assert searching.state() is TournamentState.FINISHED
    assert counted(searching) == {("a", "b"): 1}


async def test_a_bot_that_comes_back_in_time_plays_and_its_wait_begins_anew(
    searching: CupWorld,
) -> None:
    a, b = searching.field(*"ab")
    searching.director.depart(b)
    searching.cup([a, b], blocks=2)
    await searching.play(5)
    assert set(searching.cups.waited) == {(TournamentId(1), 2)}
    searching.director.arrive(b)
    await searching.play(10)
    assert counted(searching) == {("a", "b"): 2}
    assert searching.cups.waited == {} and searching.cups.forfeited == {}


async def test_a_bot_that_is_connected_to_another_referee_is_not_waited_for(
    searching: CupWorld,
) -> None:
    a, b = searching.field(*"ab")
    gone_to(searching, [b], 7)
    searching.cup([a, b], patience=5)
    await searching.play(5)
    assert searching.cups.waited == {}
    assert searching.state() is TournamentState.RUNNING


async def test_a_wait_goes_on_at_the_next_referee_where_it_was(searching: CupWorld) -> None:
    a, b = searching.field(*"ab")
    searching.director.depart(b)
    searching.cup([a, b], patience=10)
    searching.cups.waited[TournamentId(1), 2] = 9.0
    await searching.play(30)
    assert searching.state() is TournamentState.FINISHED
    assert walkover_blocks(await searching.record()) == 1
    await until_async(
        lambda: not searching.conductor._waits._still
    )  # one that is over is forgotten
    first, *then = searching.cups.taken_up
    assert first, "what other referees left is taken up first"
    assert then and not any(then), "and then what is new"


async def test_the_bots_of_one_table_get_slots_first_and_at_the_same_time(
    searching: CupWorld,
) -> None:
    guests = searching.field(*"abcd")
    for guest in guests:
        searching.director.depart(guest)
    searching.cups.can_be_run = {guest.registered.version_id for guest in guests}
    searching.cup(guests)
    await searching.play(3)
    first, then = searching.cups.gathered
    assert len(first) == len(then) == 2
    assert first | then == {guest.registered.version_id for guest in guests}
    here = next(guest for guest in guests if guest.registered.version_id in then)
    searching.director.arrive(here)
    await searching.play(3)
    first, _ = searching.cups.gathered
    assert len(first) == 1, "one more, and a table is complete"


async def test_no_slot_is_kept_for_a_table_whose_other_bot_no_worker_runs(
    searching: CupWorld,
) -> None:
    remote, *hosted = searching.field(*"abc")
    searching.director.depart(remote)
    for guest in hosted:
        searching.director.depart(guest)
    searching.cups.can_be_run = {guest.registered.version_id for guest in hosted}
    searching.cup([remote, *hosted])
    await searching.play(3)
    assert searching.cups.gathered == (searching.cups.can_be_run, set())


class Shifts:
    """The hosted bots that are connected, for a conductor."""

    def __init__(self, *shifts: Registered) -> None:
        self.shifts = [(one, False) for one in shifts]
        self.asked: set[tuple[int, bool]] = set()

    def ask_to_leave(self, versions: Collection[int], *, ladder: bool) -> None:
        self.asked |= {(version, ladder) for version in versions}


async def test_the_ladder_leaves_its_slots_to_bots_for_which_a_table_waits(
    searching: CupWorld,
) -> None:
    a, b, c = searching.field(*"abc")
    searching.director.depart(b)
    searching.cups.can_be_run = {b.registered.version_id}
    shifts = searching.conductor.staffing.shifts = Shifts(a.registered, c.registered)
    searching.cup([a, b])
    await searching.play(3)
    assert shifts.asked == {(c.registered.version_id, True)}, "a waits at the table"


async def test_who_has_nothing_left_to_play_leaves_the_slot(searching: CupWorld) -> None:
    a, b = searching.field(*"ab")
    called = {guest.registered.version_id for guest in (a, b)}
    for guest in (a, b):
        searching.director.depart(guest)
    searching.cups.can_be_run = called
    searching.cup([a, b])
    await searching.play(3)
    shifts = Shifts(*(replace(guest.registered, ladder=False) for guest in (a, b)))
    searching.conductor.staffing.shifts = shifts
    for guest in (a, b):
        searching.director.arrive(guest)
    await searching.play(10)
    assert searching.state() is TournamentState.FINISHED
    await searching.conductor_looks()
    assert shifts.asked == {(version, False) for version in called}


@pytest.mark.slow
async def test_the_wait_for_a_slot_counts_only_after_nothing_was_played_for_a_while(
    searching: CupWorld,
) -> None:
    a, b, c = searching.field(*"abc")
    searching.director.depart(c)
    searching.cup([a, b, c], blocks=3)
    await searching.play(120)
    assert searching.cups.going_on[0] and not searching.cups.going_on[-1]
