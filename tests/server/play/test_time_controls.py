"""Tables with a time control of their own: its clock, its patience, its share, its ladder."""

from dataclasses import replace

import pytest

from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.transcript import thinking_seconds
from arena.server.play.terms import Patience
from tests.server.ladder.arrivals import Habit, World, ladder
from tests.server.ladder.test_taking_over import cut_off

SLOW = TimeControl(turn_ms=60_000, bank_ms=600_000)
FAST, THOUGHTFUL = ladder(), replace(ladder(), time_control=SLOW)


def test_a_longer_turn_gives_as_much_longer_to_join_and_to_come_back() -> None:
    patience = Patience(join_seconds=5, grace_seconds=15, decline_seconds=5)
    slow = patience.at(SLOW)
    assert (slow.join_seconds, slow.grace_seconds, slow.decline_seconds) == (63, 73, 5)


@pytest.mark.parametrize("turn_ms", [100, 1_999, 2_000])
def test_a_turn_that_is_not_longer_changes_no_limit(turn_ms: int) -> None:
    assert Patience().at(TimeControl(turn_ms, 600_000)) == Patience()


async def test_bots_are_offered_the_time_control_of_the_table_and_the_time_to_join() -> None:
    world = World(THOUGHTFUL)
    guests = [world.arrive(name, habit=Habit.NEVER_JOINS) for name in "ab"]
    await world.turn(0.5)
    for guest in guests:
        (player,) = guest.players
        assert player.host is not None and player.host.setup.time_control == SLOW
        assert player.join_ms == 63_000
    await world.turn(61)
    assert [guest.playing for guest in guests] == [1, 1]
    await world.turn(2)
    assert [player.withdrawals != [] for guest in guests for player in guest.players[:1]] == [
        True,
        True,
    ]


async def test_a_bot_may_think_as_long_as_the_table_allows() -> None:
    world = World(THOUGHTFUL)
    for name in "ab":
        world.arrive(name, think_seconds=50)
    await world.turn(1_500, step=10)
    assert world.matches
    for match in world.matches:
        assert match.transcript.setup.time_control == SLOW
        assert match.transcript.result.faults == (0, 0)
        assert max(thinking_seconds(match.transcript)) >= 50


async def test_a_bot_that_is_away_at_a_slow_table_forfeits_after_its_longer_grace() -> None:
    world = World(THOUGHTFUL)
    away, stays = world.arrive("away", habit=Habit.SILENT), world.arrive("stays", think_seconds=1)
    await world.turn(2)
    for guest in (away, stays):
        assert guest.playing == 1
    (player,) = away.players
    assert player.host is not None
    player.host.left(player.seat)
    await world.turn(70)
    assert world.matches == []
    await world.turn(5)
    assert world.matches[0].transcript.result.forfeited[player.seat]


async def test_tables_that_differ_only_in_time_are_ladders_of_their_own() -> None:
    assert FAST.key != THOUGHTFUL.key
    world = World(FAST, THOUGHTFUL)
    for number in range(4):
        world.arrive(f"bot{number}", max_matches=4)
    await world.turn(6)
    seen = {match.transcript.setup.time_control for match in world.matches}
    assert seen == {DEFAULT_TIME_CONTROL, SLOW}


@pytest.mark.slow
async def test_a_slow_thinker_at_slow_tables_is_met_as_often_as_others() -> None:
    world = World(THOUGHTFUL)
    for name in "abc":
        world.arrive(name, max_matches=4, think_seconds=1)
    world.arrive("slow", max_matches=4, think_seconds=30)
    await world.turn(3_000, step=5)
    met = world.met()
    assert min(met[name, "slow"] for name in "abc") >= 8


@pytest.mark.slow
async def test_a_referee_that_goes_on_keeps_the_time_control_of_a_block() -> None:
    earlier = await cut_off("a", "b", time_control=SLOW)
    (left,) = earlier.recorder.left()
    assert left.running.time_control == SLOW
    later = World(ladder(dice_per_player=2))  # which has no such ladder any more
    guests = later.take_over(earlier)
    later.come_back(guests["a"])
    await later.turn(70, step=5)  # the grace is longer here, too
    later.come_back(guests["b"])
    await later.turn(10)
    of_the_block = [match for match in later.matches if match.block == left.running.block]
    assert of_the_block
    assert {match.transcript.setup.time_control for match in of_the_block} == {SLOW}
    assert all(match.transcript.result.faults == (0, 0) for match in of_the_block)
