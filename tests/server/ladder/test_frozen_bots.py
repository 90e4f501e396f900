"""A bot that is frozen: until its connection is cut it is offered one match, and no other."""

import pytest

from arena.server.play.ports import ChallengePolicy
from tests.server.ladder.arrivals import Guest, Habit, World
from tests.server.ladder.test_challenges import Follower, wanted


def with_frozen() -> tuple[World, Guest]:
    """A world with an opponent for a bot that sends nothing, and is offered its first match."""
    world = World()
    frozen = world.arrive("frozen", habit=Habit.FROZEN)
    world.arrive("good")
    world.timer.turn(0)
    assert frozen.offered == 1
    return world, frozen


async def test_a_frozen_bot_is_offered_one_match_until_it_is_cut() -> None:
    world, frozen = with_frozen()
    await world.turn(34, step=1)
    assert frozen.offered == 1


async def test_a_bot_that_stays_silent_is_offered_the_next_match_half_a_minute_later() -> None:
    world, quiet = with_frozen()
    await world.turn(35, step=1)  # five of them while the first offer was open
    assert quiet.offered == 2


@pytest.mark.parametrize("said_after", [5, 9, 11, 30])
async def test_a_message_ends_the_silence_but_not_the_pause_of_its_version(said_after: int) -> None:
    world, guest = with_frozen()
    await world.turn(said_after, step=1)
    guest.habit = Habit.PLAYS
    guest.say_something()
    world.timer.turn(0)
    assert guest.offered == (1 if said_after < 10 else 2)
    world.timer.turn(max(0, 10 - said_after))
    assert guest.offered > 1
    await world.turn(1)
    assert world.matches


async def test_a_bot_that_is_connected_anew_is_not_silent() -> None:
    world, guest = with_frozen()
    await world.turn(12)
    world.director.depart(guest)
    guest.habit = Habit.PLAYS
    world.director.arrive(guest)
    await world.turn(1)
    assert world.matches


async def test_a_frozen_copy_keeps_no_other_copy_from_playing() -> None:
    world, frozen = with_frozen()
    copy = Guest(world, frozen.registered, frozen.games, 1, instance="copy")
    await world.turn(6)
    world.director.arrive(copy)
    await world.turn(20)
    assert frozen.offered == 1
    assert copy.offered > 10


async def test_a_bot_that_let_the_offer_of_a_challenge_pass_may_be_frozen_too() -> None:
    world = World()
    me = world.arrive("me", challenges=ChallengePolicy.OWN_ONLY)
    frozen = world.arrive("frozen", challenges=ChallengePolicy.ACCEPT, habit=Habit.FROZEN)
    world.director.challenges.take(wanted(me, "frozen", matches=1), Follower())
    await world.turn(65, step=1)  # where a turn is long, so is the time to join
    assert frozen.players[0].withdrawals
    world.arrive("good")
    await world.turn(10)
    assert frozen.offered == 1
    frozen.say_something()
    world.timer.turn(0)
    assert frozen.offered == 2, "it was no miss, and no pause"
