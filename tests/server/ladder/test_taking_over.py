"""A director goes on with the blocks and matches that an earlier one left behind."""

from dataclasses import replace

import pytest

from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.verify import verify
from tests.server.ladder.arrivals import Habit, World, ladder

SLOW = 0.4
"""Seconds to an answer: matches are long enough to be cut off in the middle."""


async def cut_off(
    *names: str,
    seats: int = 2,
    seconds: float = 1.4,
    think: float = SLOW,
    time_control: TimeControl = DEFAULT_TIME_CONTROL,
) -> World:
    """A world that stops in the middle of its matches, everything so far being kept."""
    world = World(replace(ladder(seats, dice_per_player=2), time_control=time_control))
    for name in names:
        world.arrive(name, think_seconds=think)
    await world.turn(seconds)
    while not any(match.replies for kept in world.recorder.left() for match in kept.matches):
        await world.turn(SLOW)
    return world


@pytest.mark.slow
async def test_running_matches_go_on_with_the_same_dice_and_their_blocks_to_the_end() -> None:
    earlier = await cut_off("a", "b")
    (left,) = earlier.recorder.left()
    (match,) = left.matches
    assert match.replies
    later = World(ladder(dice_per_player=2))
    guests = later.take_over(earlier)
    later.come_back(*guests.values())
    await later.turn(10)
    of_block = [one for one in later.matches if one.block.id == left.running.block.id]
    assert [one.position for one in of_block] == sorted(
        set(range(2)) - {one.position for one in earlier.matches if one.block == left.running.block}
    )
    first = of_block[0].transcript
    assert first.setup == match.begun.setup
    assert first.opening == match.begun.opening
    assert of_block[0].started_at == match.begun.started_at
    verify(first)
    assert first.result.faults == (0, 0)
    asked = [turn.number for guest in guests.values() for turn in guest.players[0].turns]
    assert min(asked) == len(match.replies) + 1  # what was answered is not asked again
    assert later.recorder.voided == later.recorder.closed == []


@pytest.mark.slow
async def test_what_was_answered_before_is_what_is_recorded() -> None:
    earlier = await cut_off("a", "b", "c", seats=3)
    later = World(ladder(3, dice_per_player=2))
    later.come_back(*later.take_over(earlier).values())
    await later.turn(15)
    (left,) = earlier.recorder.left()
    (match,) = left.matches
    (recorded,) = (
        one.transcript
        for one in later.matches
        if one.transcript.setup.match_id == match.begun.setup.match_id
    )
    answers = [(step.actor, step.action) for step in recorded.steps if isinstance(step.actor, int)]
    assert answers[: len(match.replies)] == [
        (seat, reply.action)  # type: ignore[union-attr]  # nobody made a fault
        for seat, reply in match.replies
    ]


async def test_a_bot_that_does_not_come_back_forfeits_after_the_grace_and_its_block_is_closed() -> (
    None
):
    earlier = await cut_off("a", "b")
    (left,) = earlier.recorder.left()
    later = World(ladder(dice_per_player=2))
    guests = later.take_over(earlier)
    later.come_back(guests["a"])
    await later.turn(14)
    assert later.matches == []
    await later.turn(3)
    (lost,) = later.matches
    gone = [entrant.bot for entrant in lost.transcript.setup.entrants].index("b")
    assert lost.transcript.result.forfeited[gone]
    assert later.recorder.closed == ([left.running.block.id] if later.recorder.closed else [])
    assert later.recorder.voided == []
    assert later.director.running == 0


@pytest.mark.slow
async def test_time_without_a_referee_is_charged_to_nobody_and_the_wait_for_a_bot_neither() -> None:
    earlier = await cut_off("a", "b")
    later = World(ladder(dice_per_player=2))
    guests = later.take_over(earlier)
    later.come_back(guests["a"])
    await later.turn(12)  # longer than a turn may take
    assert [player.turns for player in guests["b"].players] != [[]] or guests["a"].players[0].turns
    later.come_back(guests["b"])
    await later.turn(10)
    assert later.matches
    control = TimeControl()
    for match in later.matches:
        assert match.transcript.result.faults == (0, 0)
        assert all(step.milliseconds <= control.turn_ms for step in match.transcript.steps)


@pytest.mark.slow
async def test_a_block_between_two_matches_waits_for_its_bots_and_goes_on() -> None:
    earlier = await cut_off("a", "b")
    left = earlier.recorder.left()[0]
    between = type(left)(left.running, frozenset([0]), ())
    later = World(ladder(dice_per_player=2))
    for guest in (guests := later.take_over_these([between])).values():
        later.timer.turn(5)
        later.come_back(guest)
    await later.turn(10)
    assert [one.position for one in later.matches if one.block == left.running.block] == [1]
    assert len(guests) == 2
    assert later.recorder.closed == []


async def test_a_block_whose_bots_stay_away_between_two_matches_is_closed() -> None:
    earlier = await cut_off("a", "b")
    left = earlier.recorder.left()[0]
    between = type(left)(left.running, frozenset([0]), ())
    later = World(ladder(dice_per_player=2))
    later.take_over_these([between])
    await later.turn(16)
    assert later.recorder.closed == [left.running.block.id]
    assert later.director.running == 0


async def test_a_match_may_be_taken_over_again_and_again() -> None:
    world = await cut_off("a", "b", seconds=1.0)
    (left,) = world.recorder.left()
    for _ in range(4):
        later = World(ladder(dice_per_player=2))
        later.recorder.kept = list(world.recorder.kept)
        later.recorder.matches = list(world.recorder.matches)
        guests = later.take_over(world)
        for guest in guests.values():
            guest.think_seconds = SLOW
        later.come_back(*guests.values())
        await later.turn(1.0)
        world = later
    await world.turn(10)
    of_block = [one for one in world.matches if one.block.id == left.running.block.id]
    assert [one.position for one in of_block] == [0, 1]
    for match in of_block:
        verify(match.transcript)


async def test_what_is_recorded_or_over_is_kept_no_longer() -> None:
    world = World(ladder())
    a, b = world.arrive("a", think_seconds=SLOW), world.arrive("b", think_seconds=SLOW)
    await world.turn(6)
    world.director.drain(a)
    world.director.drain(b)
    await world.turn(10)
    assert a.has_drained and b.has_drained
    assert world.recorder.kept
    assert world.recorder.left() == []
    assert not world.writer.snapshots.unkept()


@pytest.mark.slow
async def test_fast_matches_are_not_kept_at_all() -> None:
    world = World(ladder())
    for name in "ab":
        world.arrive(name, think_seconds=0.001, habit=Habit.PLAYS)
    await world.turn(5)
    begun = sum(len(unkept.begun) for unkept in world.recorder.kept)
    assert len(world.matches) > 5 * begun


async def test_a_bot_that_drains_finishes_its_block_and_begins_no_other() -> None:
    world = World(ladder())
    leaver = world.arrive("leaver", think_seconds=SLOW)
    for name in "ab":
        world.arrive(name, think_seconds=SLOW)
    await world.turn(1)
    world.director.drain(leaver)
    await world.turn(20)
    assert leaver.has_drained
    blocks = [block for block in world.blocks() if "leaver" in world.bots(block[0])]
    assert all(len(block) == 2 for block in blocks)
    played = world.played()["leaver"]
    await world.turn(10)
    assert world.played()["leaver"] == played
    assert world.played()["a"] > played
    assert world.recorder.closed == []
    world.director.arrive(leaver)
    await world.turn(10)
    assert world.played()["leaver"] > played
