"""A bot that declines: offered nothing for five seconds, and otherwise none the worse for it."""

import itertools

import pytest
from structlog.testing import capture_logs

from arena.scheduling.ladder import Candidate, MeetingCounts
from arena.server.ladder.owed_seats import OwedSeats
from arena.server.play.terms import Patience, Terms
from arena.server.tournaments.tournament import TournamentState
from tests.server.ladder.arrivals import Guest, Habit, World, ladder
from tests.server.tournaments.cups import CupWorld


def declined(guest: Guest) -> list[int]:
    """The offers, by number from 0, that came to nothing."""
    return [number for number, player in enumerate(guest.players) if player.withdrawals]


async def test_who_declines_is_offered_nothing_for_five_seconds_each_time() -> None:
    world = World()
    decliner = world.arrive("decliner", habit=Habit.DECLINES, think_seconds=0.5)
    world.arrive("good")
    world.timer.turn(0)
    offers = [world.timer.now()]
    while len(offers) < 6:
        world.timer.turn(0.125)
        if decliner.offered > len(offers):
            offers.append(world.timer.now())
    pauses = [later - earlier for earlier, later in itertools.pairwise(offers)]
    assert pauses == [5.5] * 5  # half a second passes before each decline


@pytest.mark.slow
async def test_it_is_offered_nothing_in_the_blocks_that_it_plays_in_either() -> None:
    world = World(ladder(3))
    guest = world.arrive("drains", max_matches=8, think_seconds=0.05)
    for number in range(4):
        world.arrive(f"good{number}", max_matches=8)
    await world.turn(1)
    playing = [player for player in guest.players if not player.over]
    assert len(playing) > 4
    guest.habit = Habit.DECLINES
    while not any(player.withdrawals for player in guest.players):
        world.timer.turn(0.001)
    offered = guest.offered
    await world.turn(4.99, step=0.01)
    assert guest.offered == offered
    assert guest.playing == 0
    assert all(player.told_over == 1 for player in playing)
    await world.turn(2)
    assert guest.offered > offered


async def test_what_it_had_played_of_a_block_counts() -> None:
    world = World(ladder(3))
    guests = [world.arrive(f"bot{number}") for number in range(3)]
    while not world.writer.waiting:
        world.timer.turn(0.005)
    guests[0].habit = Habit.DECLINES  # the second match is offered already, the third is not
    await world.turn(3)
    block = world.matches[0].block.id
    assert [match.block.id for match in world.matches] == [block] * 2
    assert (world.recorder.closed, world.recorder.voided) == ([block], [])


@pytest.mark.slow
async def test_a_bot_that_declines_finishes_and_leaves_plays_at_once_when_it_returns() -> None:
    world = World()
    guest = world.arrive("drains", max_matches=4, think_seconds=0.05)
    for number in range(4):
        world.arrive(f"good{number}", max_matches=4)
    await world.turn(1)
    guest.habit = Habit.DECLINES
    with capture_logs() as log:
        await world.turn(12)  # three rounds of declining: it still has no match to play
        assert guest.playing == 0
        assert len(declined(guest)) >= 3
        world.director.depart(guest)
        await world.turn(6)
        guest.habit = Habit.PLAYS
        world.director.arrive(guest)
        while guest.playing < 4:  # all its places, not one on probation
            await world.turn(0.01)
            assert world.timer.now() < 1_020
    assert "bot left out" not in [line["event"] for line in log]


async def test_who_comes_back_before_the_five_seconds_are_over_waits_for_the_rest() -> None:
    world = World()
    guest = world.arrive("restless", habit=Habit.DECLINES)
    world.arrive("good")
    while not declined(guest):
        world.timer.turn(0.001)
    again = Guest(world, guest.registered, guest.games, 1)  # another session of the same copy
    world.director.depart(guest)
    world.director.arrive(again)
    await world.turn(4.9)
    assert again.offered == 0
    await world.turn(0.2)
    assert again.offered > 0


async def test_another_copy_of_the_version_plays_on() -> None:
    world = World()
    left = world.arrive("copied", habit=Habit.DECLINES)
    right = Guest(world, left.registered, left.games, 1, instance="right")
    world.arrive("good")
    while not declined(left):
        world.timer.turn(0.001)
    world.director.arrive(right)
    await world.turn(4.9)
    assert left.offered == 1
    assert right.offered > 10


async def test_a_decline_makes_no_earlier_miss_worse() -> None:
    world = World()
    guest = world.arrive("unsteady", habit=Habit.NEVER_JOINS)
    world.arrive("good")
    await world.turn(9)  # the first offer ended after 5 s; for 5 it is left out
    guest.habit = Habit.DECLINES
    await world.turn(2)
    assert guest.offered == 2
    guest.habit = Habit.NEVER_JOINS
    await world.turn(5)
    assert guest.offered == 3  # 5 s after the decline, and missed after 5 more
    await world.turn(13.5)
    assert guest.offered == 3
    await world.turn(1)
    assert guest.offered == 4  # left out for 10 s, as after any second miss


async def test_how_long_is_a_matter_of_the_terms() -> None:
    terms = Terms(patience=Patience(decline_seconds=1.0))
    world = World(terms=terms)
    guest = world.arrive("decliner", habit=Habit.DECLINES)
    world.arrive("good")
    await world.turn(10)
    assert guest.offered == 10


async def test_a_block_of_a_tournament_waits_and_goes_on_where_it_was() -> None:
    world = CupWorld()
    guests = world.field("a", "b")
    world.cup(guests, blocks=1)
    guests[0].habit = Habit.DECLINES
    await world.play(4.9)
    assert guests[0].offered == 1
    guests[0].habit = Habit.PLAYS
    await world.play(3)
    assert world.state() is TournamentState.FINISHED
    (begun,) = world.cups.begun_blocks
    assert [match.block.id for match in world.matches].count(begun.block.id) == 2
    await world.stop()


def seats(guest: Guest) -> list[int]:
    """The seats that were offered, in order."""
    return [player.seat for player in guest.players]


@pytest.mark.slow
async def test_a_declined_seat_is_offered_again_until_it_is_played() -> None:
    for seed in range(1, 6):
        world = World(ladder(3))
        world.secrets = itertools.count(seed)
        guest = world.arrive("chooser", habit=Habit.DECLINES)
        for number in range(4):
            world.arrive(f"good{number}")
        await world.turn(40)
        assert guest.offered >= 5
        assert len(set(seats(guest))) == 1
        guest.habit = Habit.PLAYS
        await world.turn(12)
        assert set(seats(guest)) == {0, 1, 2}


async def test_who_declines_the_second_seat_of_a_block_gets_it_in_the_next() -> None:
    world = World()
    guest = world.arrive("chooser")
    world.arrive("other")
    while guest.offered < 2:
        world.timer.turn(0.005)
    player = guest.players[-1]
    assert player.host is not None and player.host.decline(player.seat)
    await world.turn(7)
    assert seats(guest)[:3] == [seats(guest)[0], player.seat, player.seat]


async def test_a_match_that_nobody_played_is_no_meeting() -> None:
    world = World(ladder(), counts=(counts := MeetingCounts()))
    world.arrive("decliner", habit=Habit.DECLINES)
    world.arrive("other")
    await world.turn(20)
    assert counts.matches(ladder(), 1) == counts.meetings(ladder(), 1, 2) == 0


async def test_in_the_middle_of_a_block_no_copy_goes_on_at_once() -> None:
    world = World()
    left = world.arrive("chooser")
    world.arrive("other")
    while left.offered < 2:
        world.timer.turn(0.005)
    right = Guest(world, left.registered, left.games, 1, instance="right")
    world.director.arrive(right)
    player = left.players[-1]
    assert player.host is not None and player.host.decline(player.seat)
    await world.turn(4.9)
    assert (left.offered, right.offered) == (2, 0)
    world.director.depart(left)
    await world.turn(1)
    assert seats(right)[0] == player.seat


async def test_who_is_not_there_for_the_next_match_of_a_block_has_left_it() -> None:
    world = World(ladder(3))
    left = world.arrive("chooser")
    for number in range(2):
        world.arrive(f"good{number}")
    while not (left.players and left.players[0].begun):
        world.timer.turn(0.001)
    (first,) = left.players
    world.director.depart(left)  # after its last answer: the match is played to its end
    back = Guest(world, left.registered, left.games, 1, instance="another name")
    world.director.arrive(back)
    while not first.over:
        world.timer.turn(0.001)
    await world.turn(4.9)
    assert (left.offered, back.offered) == (1, 0)
    await world.turn(1)
    assert seats(back)[0] == (first.seat - 1) % 3  # that of the block's second match


async def test_of_several_seats_that_it_did_not_take_a_bot_gets_each() -> None:
    owed = OwedSeats()
    bots = [Candidate(number, f"owner{number}", False, frozenset()) for number in range(3)]
    for seat in (2, 0):
        owed.owe(0, "kind", seat)
    assert owed.arrange("kind", bots)[2] is bots[0]
    owed.taken(0, "kind", 1)
    assert owed.arrange("kind", bots)[2] is bots[0]
    owed.taken(0, "kind", 2)
    assert owed.arrange("kind", bots[::-1])[0] is bots[0]
    owed.taken(0, "kind", 0)
    assert owed.arrange("kind", bots[::-1]) == bots[::-1]
