"""Bots of the house play among themselves at a pace; whoever else comes waits for nothing."""

from collections import Counter

import pytest

from arena.scheduling.ladder import TableType
from arena.scheduling.pace import WARM_START
from arena.server.play.terms import Terms
from tests.server.ladder.arrivals import World, ladder


def paced(*ladders: TableType, pace: float = 1.0) -> World:
    return World(*ladders, terms=Terms(house_pace=pace))


async def warmed_up(world: World) -> None:
    """Let the start be played; then nothing but the pace keeps a table from being opened."""
    await world.turn(60)
    assert len(world.matches) >= WARM_START


def house(world: World, bots: int) -> None:
    for number in range(bots):
        world.arrive(f"house-{number}", owner="house", house=True, max_matches=8)


@pytest.mark.slow
async def test_after_a_start_at_full_speed_the_house_plays_at_its_pace() -> None:
    world = paced()
    house(world, 4)
    await warmed_up(world)
    after_the_start = len(world.matches)
    assert after_the_start <= WARM_START + 62
    await world.turn(100)
    # Two begin every two seconds.
    assert 98 <= len(world.matches) - after_the_start <= 102
    assert all(len(block) == 2 for block in world.blocks())


@pytest.mark.slow
async def test_while_the_pace_allows_nothing_one_timer_is_all_that_is_set() -> None:
    world = paced(ladder(), ladder(3), pace=0.001)
    house(world, 4)
    await warmed_up(world)
    assert world.timer.arranged == 1


async def test_without_bots_that_could_meet_no_timer_is_set() -> None:
    world = paced()
    house(world, 1)
    await world.turn(5)
    assert world.timer.arranged == 0


@pytest.mark.slow
async def test_every_ladder_has_a_start_and_an_equal_pace_of_its_own() -> None:
    world = paced(ladder(2), ladder(3), ladder(4), pace=3.0)
    house(world, 4)
    await world.turn(60)
    before = by_seats(world)
    assert set(before) == {2, 3, 4}
    assert all(matches >= WARM_START for matches in before.values())
    await world.turn(60)
    later = {seats: matches - before[seats] for seats, matches in by_seats(world).items()}
    assert all(abs(matches - 60) <= 4 for matches in later.values())


@pytest.mark.slow
async def test_a_visitors_matches_with_the_house_wait_for_no_pace() -> None:
    world, unpaced = paced(pace=0.001), World()
    for each in (world, unpaced):
        house(each, 3)
    await warmed_up(world)
    before = len(world.matches)
    for each in (world, unpaced):
        each.arrive("visitor", max_matches=4)
    await world.turn(10)
    await unpaced.turn(10)
    new = world.matches[before:]
    assert all("visitor" in world.bots(match) for match in new)
    # As many as where no pace holds the house back, but for the order in which they are played.
    assert len(new) >= 0.98 * unpaced.played()["visitor"] > 100
    assert {pair for pair in world.met() if "visitor" in pair} == {
        (f"house-{number}", "visitor") for number in range(3)
    }


@pytest.mark.slow
async def test_two_visitors_play_each_other_and_the_house_alike() -> None:
    world = paced(pace=0.001)
    house(world, 2)
    await warmed_up(world)
    for name in ("one", "two"):
        world.arrive(name, max_matches=4)
    await world.turn(5)
    met = world.met()
    pairs = [pair for pair in met if "one" in pair or "two" in pair]
    assert len(pairs) == 5
    assert min(met[pair] for pair in pairs) > 0.5 * max(met[pair] for pair in pairs)


async def test_at_tables_of_more_seats_the_house_fills_up_a_visitors_table_at_once() -> None:
    world = paced(ladder(3), pace=0.001)
    house(world, 3)
    await warmed_up(world)
    before = len(world.matches)
    world.arrive("visitor")
    await world.turn(1)
    assert len(world.matches) > before
    assert all("visitor" in world.bots(match) for match in world.matches[before:])


def by_seats(world: World) -> Counter[int]:
    return Counter(len(world.bots(match)) for match in world.matches)
