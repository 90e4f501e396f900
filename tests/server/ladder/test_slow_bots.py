"""Slow bots are allowed and pay with their own share."""

import pytest

from tests.server.ladder.arrivals import Habit, World


def pair(world: World) -> int:
    return world.met()["a", "b"]


async def alone(seconds: float, places: int) -> int:
    world = World()
    for name in "ab":
        world.arrive(name, max_matches=places)
    await world.turn(seconds)
    return pair(world)


@pytest.mark.system  # an attack
@pytest.mark.slow
@pytest.mark.parametrize("habit", [Habit.PLAYS, Habit.SILENT], ids=str)
async def test_eight_slow_versions_of_one_owner_cost_a_pair_little(habit: Habit) -> None:
    expected = await alone(40, 8)
    world = World()
    for name in "ab":
        world.arrive(name, max_matches=8)
    await world.turn(2)
    before = pair(world)
    for number in range(8):
        world.arrive(f"slow{number}", owner="slow", max_matches=64, think_seconds=1.85, habit=habit)
    await world.turn(38)
    assert pair(world) - before >= 0.8 * (expected - before)
    assert any("slow" in bot for bot in world.played()) or habit is Habit.SILENT


@pytest.mark.slow
async def test_bots_with_one_place_are_held_for_about_a_tenth_of_the_time() -> None:
    world, quiet = World(), World()
    for each in (world, quiet):
        for name in "ab":
            each.arrive(name, think_seconds=0.3)
        await each.turn(10)
    for number in range(8):
        world.arrive(f"slow{number}", owner="slow", max_matches=64, think_seconds=3)
    for each in (world, quiet):
        await each.turn(600, step=1)
    met = world.met()
    assert sum(met[one, f"slow{n}"] for n in range(8) for one in "ab") > 0
    assert pair(world) >= 0.75 * pair(quiet)


@pytest.mark.slow
async def test_bots_that_decline_late_pay_with_the_share_of_their_owner() -> None:
    world, quiet = World(), World()
    for each in (world, quiet):
        for name in "ab":
            each.arrive(name, think_seconds=0.1)
        await each.turn(10)
    for number in range(8):
        world.arrive(f"late{number}", owner="late", think_seconds=4.8, habit=Habit.DECLINES)
    for each in (world, quiet):
        await each.turn(300, step=1)
    # Without a price they held both bots nearly all the time.
    assert pair(world) >= 0.75 * pair(quiet)


@pytest.mark.slow
async def test_nobody_keeps_places_for_bots_that_have_none_left() -> None:
    world = World()
    for name in "ab":
        world.arrive(name, max_matches=8)
    crowd = [world.arrive(f"crowd{number}") for number in range(10)]
    await world.turn(3)
    assert set(world.played()) >= {guest.registered.entrant.bot for guest in crowd}
    for guest in crowd:
        guest.max_matches = 0
        world.director.places_changed(guest)
    await world.turn(1)
    before = pair(world)
    await world.turn(4)
    assert pair(world) - before >= 0.8 * await alone(4, 8)
