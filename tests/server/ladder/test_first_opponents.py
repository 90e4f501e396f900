"""The first opponents of a newcomer differ, though the same few are free most often."""

import pytest

from arena.scheduling.first_opponents import (
    NEWCOMER_TABLES,
    PATIENCE_SECONDS,
    FirstOpponents,
)
from arena.scheduling.ladder import MeetingCounts
from arena.server.play.terms import Terms
from tests.server.ladder.arrivals import World, ladder


async def first_opponents(world: World, newcomer: str, blocks: int, within: float) -> list[str]:
    """Whom a bot with one place meets in its first blocks, one after the other."""
    until = world.timer.now() + within
    while world.timer.now() < until:
        await world.turn(1)
        found = [block[0] for block in world.blocks() if newcomer in world.bots(block[0])]
        if len(found) >= blocks:
            return [bot for one in found[:blocks] for bot in world.bots(one) if bot != newcomer]
    raise AssertionError(f"only {len(found)} blocks")


@pytest.mark.parametrize("others", [3, 7])
async def test_a_newcomer_meets_most_of_the_others_first_though_one_is_free_most_often(
    others: int,
) -> None:
    world = World(terms=Terms(house_pace=100.0))
    world.arrive("quick", owner="house", house=True, max_matches=8)
    for number in range(others - 1):
        world.arrive(f"slow {number}", owner="house", house=True, think_seconds=0.5)
    await world.turn(10)
    world.arrive("newcomer")
    met = await first_opponents(world, "newcomer", others, within=others * PATIENCE_SECONDS)
    # Not all: it does not wait for the end of a long match.
    assert len(set(met)) > others / 2


@pytest.mark.parametrize(("seats", "others"), [(3, 4), (6, 7)])
async def test_at_larger_tables_a_newcomer_has_met_nearly_all_the_others_as_soon_as_can_be(
    seats: int, others: int
) -> None:
    world = World(ladder(seats), terms=Terms(house_pace=100.0))
    for number in range(others):
        think = 0.02 if number < seats else 0.5
        world.arrive(f"bot {number}", owner="house", house=True, think_seconds=think)
    await world.turn(10)
    world.arrive("newcomer")
    blocks = -(-others // (seats - 1)) + 1
    met = await first_opponents(world, "newcomer", blocks, within=4 * blocks * PATIENCE_SECONDS)
    assert len(set(met)) >= others - 1


def test_a_newcomer_waits_so_long_for_another_opponent_and_no_longer() -> None:
    counts = MeetingCounts()
    first = FirstOpponents(ladder(), counts)
    counts.add(ladder(), (1, 2))
    for table in ((1, 2), (2, 3)):
        first.sat_down(table)
    first.got_up((1, 2), seconds=2.0, others=4, now=5.0)
    assert first.next_end(5.0) == 5.0 + PATIENCE_SECONDS
    assert not first.allow(1, 2, others=4, now=5.0)
    assert first.allow(1, 3, others=4, now=5.0)
    assert first.allow(1, 2, others=4, now=5.0 + PATIENCE_SECONDS)
    assert first.next_end(5.0 + PATIENCE_SECONDS) is None


def test_a_newcomer_waits_for_nobody_that_does_not_play() -> None:
    counts = MeetingCounts()
    first = FirstOpponents(ladder(), counts)
    counts.add(ladder(), (1, 2))
    first.sat_down((1, 2))
    first.got_up((1, 2), seconds=2.0, others=4, now=5.0)
    assert first.next_end(5.0) is None
    assert first.allow(1, 2, others=4, now=5.0)


async def test_a_newcomer_that_can_meet_one_bot_only_waits_for_nobody() -> None:
    world = World()
    world.arrive("quick", owner="house", house=True)
    world.arrive("newcomer")
    await first_opponents(world, "newcomer", NEWCOMER_TABLES, within=PATIENCE_SECONDS)


async def test_a_bot_that_is_no_newcomer_waits_for_nobody() -> None:
    world = World(terms=Terms(house_pace=100.0))
    world.arrive("quick", owner="house", house=True, max_matches=8)
    world.arrive("slow", owner="house", house=True, think_seconds=30.0)
    world.arrive("known")
    await first_opponents(world, "known", NEWCOMER_TABLES, within=10 * PATIENCE_SECONDS)
    before = world.played()["known"]
    await world.turn(PATIENCE_SECONDS)
    assert world.played()["known"] > before + 2 * NEWCOMER_TABLES
