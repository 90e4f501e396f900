"""The ladder keeps to the paces of bots, and holds nobody else up."""

from dataclasses import replace

from tests.server.ladder.arrivals import Guest, World, ladder


def set_pace(world: World, guest: Guest, pace: int | None) -> None:
    guest.registered = replace(guest.registered, pace=pace)
    world.director.places_changed(guest)


async def test_a_bot_with_a_pace_begins_no_more_matches_than_it_allows() -> None:
    world = World()
    world.arrive("slow", max_matches=4, pace=36)
    world.arrive("other", max_matches=4)
    await world.turn(10)
    assert world.played()["slow"] == 36
    await world.turn(1_000)
    assert 44 <= world.played()["slow"] <= 48


async def test_while_one_rests_the_others_play_on_as_before() -> None:
    world, without = World(), World()
    for each in (world, without):
        for name in ("one", "two"):
            each.arrive(name, max_matches=4)
    world.arrive("slow", max_matches=4, pace=1)
    for each in (world, without):
        await each.turn(20)
    assert world.played()["slow"] == 2
    assert world.played()["one"] > 0.9 * without.played()["one"] > 100


async def test_while_all_rest_one_timer_is_all_that_is_set() -> None:
    world = World(ladder(), ladder(3))
    for name in ("one", "two", "three"):
        world.arrive(name, max_matches=4, pace=2)
    await world.turn(60)
    assert world.timer.arranged == 1


async def test_a_pace_that_changes_holds_at_once() -> None:
    world = World()
    slow = world.arrive("slow", pace=2)
    world.arrive("other")
    await world.turn(10)
    assert world.played()["slow"] == 2
    set_pace(world, slow, None)
    await world.turn(10)
    assert world.played()["slow"] > 50
    set_pace(world, slow, 2)
    await world.turn(10)
    before = world.played()["slow"]
    await world.turn(10)
    assert world.played()["slow"] == before
