"""The ladder when bots fail, leave and come back, and when storage or the operator say stop."""

import asyncio
import itertools
from dataclasses import replace

import pytest

from arena.match.clock import TimeControl
from arena.server.failover.result_writer import MOST_WAITING
from arena.server.play.hosted_match import HostedMatch
from arena.server.play.terms import Terms
from tests.server.ladder.arrivals import Habit, World, ladder
from tests.server.ladder.recorders import FakeRecorder, down
from tests.waiting import until_async

QUICK = Terms(fault_limit=1)
QUICK_LADDER = replace(ladder(), time_control=TimeControl(turn_ms=50, bank_ms=0))


async def test_a_bot_that_does_not_join_is_left_out_for_longer_and_longer() -> None:
    world = World()
    misfit = world.arrive("misfit", habit=Habit.NEVER_JOINS)
    world.arrive("good")
    times: list[float] = []
    offered = 0
    for _ in range(1600):
        await world.turn(0.5, step=0.5)
        if misfit.offered > offered:
            offered = misfit.offered
            times.append(world.timer.now())
    pauses = [later - earlier for earlier, later in itertools.pairwise(times)]
    join = 5.0
    expected = [5, 10, 20, 40, 80, 160, 300]
    assert [pause - join for pause in pauses[:7]] == pytest.approx(expected, abs=1.1)
    assert world.matches == []


@pytest.mark.slow
async def test_a_misfit_starves_nobody() -> None:
    alone, beside = World(), World()
    for world in (alone, beside):
        for number in range(4):
            world.arrive(f"bot{number}", max_matches=2)
    beside.arrive("misfit", habit=Habit.NEVER_JOINS, max_matches=8)
    await alone.turn(20, step=1)
    await beside.turn(20, step=1)
    assert "misfit" not in beside.played()
    assert len(beside.matches) > 0.5 * len(alone.matches)
    assert min(beside.played().values()) > 0.7 * max(beside.played().values())


async def test_a_bot_that_forfeits_is_left_out_too_and_its_matches_count() -> None:
    world = World(QUICK_LADDER, terms=QUICK)
    silent = world.arrive("silent", habit=Habit.SILENT)
    world.arrive("good")
    await world.turn(4)
    assert len(world.matches) == 2  # one block: it plays on to its end
    assert all(match.transcript.result.decided_by_faults for match in world.matches)
    assert silent.offered == 2
    await world.turn(0.5)
    assert silent.offered == 2
    await world.turn(4)
    assert silent.offered > 2


async def test_many_matches_lost_at_once_are_one_miss() -> None:
    world = World(QUICK_LADDER, terms=QUICK)
    silent = world.arrive("silent", habit=Habit.SILENT, max_matches=8)
    world.arrive("good", max_matches=8)
    await world.turn(4)
    lost = silent.offered
    assert lost >= 8
    await world.turn(3)
    assert silent.offered > lost


async def test_good_matches_make_up_for_past_misses() -> None:
    world = World()
    guest = world.arrive("unsteady", habit=Habit.NEVER_JOINS)
    world.arrive("good")
    await world.turn(26, step=1)
    assert guest.offered == 3  # at 0, 10 and 25 seconds
    guest.habit = Habit.PLAYS
    await world.turn(27, step=1)
    assert guest.offered > 3
    guest.habit = Habit.NEVER_JOINS
    await world.turn(6)
    before = guest.offered
    await world.turn(5.5)
    assert guest.offered == before + 1


async def test_a_bot_that_missed_has_all_its_places_again_once_it_has_played() -> None:
    world = World()
    guest = world.arrive("guest", max_matches=3, habit=Habit.NEVER_JOINS)
    for name in "abc":
        world.arrive(name)
    while guest.offered == 0 or guest.playing:
        await world.turn(0.5, step=0.5)
    guest.habit = Habit.PLAYS
    most = {False: 0, True: 0}
    """How many matches it was in at a time, before and after it had played one."""
    while most[True] < 3:
        await world.turn(0.01)
        has_played = "guest" in world.played()
        most[has_played] = max(most[has_played], guest.playing)
        assert world.timer.now() < 1_030
    assert most[False] == 1


async def test_who_keeps_missing_matches_is_told_of_from_the_fifth_miss_on() -> None:
    world = World()
    seen: list[int] = []
    world.director.on_failing = seen.append
    misfit = world.arrive("misfit", habit=Habit.NEVER_JOINS)
    world.arrive("good")
    misses_seen = []
    for _ in range(400):
        await world.turn(0.5, step=0.5)
        if len(seen) > len(misses_seen):
            misses_seen.append(misfit.offered)
    assert set(seen) == {misfit.registered.version_id}
    assert misses_seen == [5, 6]


async def test_what_a_version_missed_is_remembered_when_it_reconnects() -> None:
    world = World()
    guest = world.arrive("misfit", habit=Habit.NEVER_JOINS)
    world.arrive("good")
    await world.turn(5.5)
    assert guest.offered == 1
    for _ in range(5):
        world.director.depart(guest)
        world.director.arrive(guest)
        await world.turn(0.5)
    assert guest.offered == 1


async def test_a_block_whose_bot_left_is_cut_short_and_its_matches_count() -> None:
    world = World(ladder(3))
    guests = [world.arrive(f"bot{number}", think_seconds=0.01) for number in range(3)]
    while not guests[0].players or not guests[0].players[0].turns:
        world.timer.turn(0.005)
    world.director.depart(guests[0])  # its stream ends; the match plays on within the grace
    await world.turn(3)
    assert [len(block) for block in world.blocks()] == [1]
    assert world.recorder.closed == [world.matches[0].block.id]
    assert world.recorder.voided == []
    world.director.arrive(guests[0])
    await world.turn(3)
    assert len(world.blocks()) > 1


async def test_a_bot_that_leaves_between_two_matches_is_not_offered_the_second() -> None:
    world = World()
    guest = world.arrive("one")
    world.arrive("two")
    while not world.writer.waiting:
        world.timer.turn(0.0001)
    offered = guest.offered
    world.director.depart(guest)
    await world.turn(6)
    assert guest.offered <= offered
    assert world.director.running == 0


async def test_a_bot_that_was_never_seated_may_go_and_come_as_it_likes() -> None:
    world = World()
    guest = world.arrive("lonely")
    world.director.depart(guest)
    world.director.depart(guest)
    world.director.arrive(guest)
    world.director.arrive(guest)
    world.arrive("friend")
    await world.turn(1)
    assert world.matches
    assert guest.playing <= 1


async def test_winding_down_lets_running_blocks_end_and_begins_no_other() -> None:
    world = World(ladder(3))
    idle: list[int] = []
    world.director.on_idle = lambda: idle.append(len(world.matches))
    for number in range(6):
        world.arrive(f"bot{number}", think_seconds=0.02)
    world.timer.turn(0.05)
    assert world.director.running == 2
    world.director.wind_down()
    assert idle == []
    await world.turn(5)
    assert [len(block) for block in world.blocks()] == [3, 3]
    assert len(idle) == 1
    assert world.director.running == 0
    world.arrive("late guest")
    await world.turn(1)
    assert world.director.running == 0


async def test_winding_down_an_idle_ladder_is_over_at_once() -> None:
    world = World()
    idle: list[None] = []
    world.director.on_idle = lambda: idle.append(None)
    world.director.wind_down()
    assert idle == [None]


async def test_a_match_that_breaks_voids_its_block() -> None:
    world = World(ladder(3))
    guests = [world.arrive(f"bot{number}", think_seconds=0.01) for number in range(3)]
    while not world.writer.waiting:
        world.timer.turn(0.005)
    await world.settle()
    block = world.matches[0].block.id
    host = guests[0].players[-1].host
    assert isinstance(host, HostedMatch)
    host.break_off("a bug of ours")
    await world.settle()
    assert world.recorder.voided == [block]
    assert world.recorder.closed == []
    assert all(guest.players[1].told_over == 1 for guest in guests)


async def test_a_ladder_that_is_suspended_ends_nothing_and_begins_nothing() -> None:
    world = World(ladder(3))
    guests = [world.arrive(f"bot{number}", think_seconds=0.01) for number in range(3)]
    while not world.writer.waiting:
        world.timer.turn(0.005)
    world.director.suspend()
    await world.settle()
    recorded = len(world.matches)
    await world.turn(60)
    assert len(world.matches) == recorded < 3
    assert world.recorder.voided == world.recorder.closed == []
    assert guests[0].players[-1].ends == []


@pytest.mark.slow
async def test_no_block_begins_while_too_many_results_wait() -> None:
    world = World()
    guests = [world.arrive(f"bot{number}", max_matches=16) for number in range(2)]
    while not world.writer.full:
        world.timer.turn(0.05)
    world.timer.turn(5)
    assert world.director.running == 0
    waiting = world.writer.waiting
    assert MOST_WAITING <= waiting <= MOST_WAITING + 2 * 32
    await world.settle()
    assert len(world.matches) == waiting
    assert world.director.running > 0
    assert not any(player.withdrawals for guest in guests for player in guest.players)


@pytest.mark.slow
async def test_matches_begin_again_when_storage_begins_to_fail_as_more_may_wait_then() -> None:
    world = World(recorder=FakeRecorder(failures=[down()] * 10))
    for number in range(2):
        world.arrive(f"bot{number}", max_matches=16)
    while not world.writer.full:
        world.timer.turn(0.05)
    world.timer.turn(5)
    assert world.director.running == 0
    recording = asyncio.create_task(world.writer.run())
    await until_async(lambda: world.writer.failing)
    world.timer.turn(0.05)
    recording.cancel()
    assert world.director.running > 0
    assert world.matches == []


async def test_a_storage_that_fails_for_a_while_loses_no_result() -> None:
    world = World(recorder=FakeRecorder(failures=[down(), down()]))
    guests = [world.arrive(f"bot{number}") for number in range(2)]
    world.timer.turn(0.2)
    waiting = world.writer.waiting
    assert waiting
    await world.settle()
    assert len(world.matches) == waiting
    assert sum(len(player.ends) for player in guests[0].players) == waiting


async def test_a_crowd_that_crashed_keeps_nobody_from_playing() -> None:
    world = World()
    crowd = [world.arrive(f"crowd{n}", max_matches=8, habit=Habit.SILENT) for n in range(4)]
    await world.turn(0.5)
    assert world.director.running > 3
    for guest in crowd:
        world.director.depart(guest)
    for number in range(3):
        world.arrive(f"bot{number}")
    await world.turn(1)  # the crowd's matches wait for 15 seconds
    assert sum(world.played().values()) >= 4
    assert not {f"crowd{number}" for number in range(4)} & set(world.played())


async def test_places_that_a_bot_gives_up_are_no_part_of_the_ladders_places() -> None:
    world = World(ladder(), ladder(3))
    for guest in [world.arrive(f"bot{number}", max_matches=64) for number in range(4)]:
        guest.max_matches = 1
        world.director.places_changed(guest)
    for _ in range(20):
        # Two of the four places are for the ladder of three seats.
        await world.turn(0.05, step=0.05)
        assert world.director.running <= 1
    assert world.matches
