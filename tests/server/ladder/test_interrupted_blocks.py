"""Blocks that are stopped, taken over or broken between two matches, or while one ends."""

from dataclasses import replace

from structlog.testing import capture_logs

from arena.match.flow import TimedAction
from arena.match.transcript import Transcript
from arena.server.play.hosted_match import HostedMatch
from arena.server.play.kept_blocks import KeptBlock
from tests.server.ladder.arrivals import Guest, Habit, World


def by_hand(world: World) -> tuple[Guest, Guest]:
    """Two bots that join by themselves and answer when the test says so."""
    one, other = (world.arrive(name, habit=Habit.SILENT) for name in ("one", "other"))
    world.timer.turn(0.1)
    return one, other


def play(guests: tuple[Guest, Guest]) -> None:
    """Answer until the match that runs is over. No time passes."""
    players = [guest.players[-1] for guest in guests]
    while not players[0].over:
        for player in players:
            if player.turns and not player.over:
                player.act()


async def kept(world: World) -> list[KeptBlock]:
    """What the next referee finds when everything that is new has been kept just now."""
    unkept = world.writer.snapshots.unkept()
    await world.recorder.keep(unkept)
    world.writer.snapshots.keep(unkept)
    return world.recorder.left()


async def test_a_block_that_is_suspended_between_two_matches_does_not_begin_the_second() -> None:
    world = World()
    guests = by_hand(world)
    play(guests)
    world.director.suspend()
    await world.turn(60)
    assert [guest.offered for guest in guests] == [1, 1]
    assert [match.position for match in world.matches] == [0]
    assert world.recorder.closed == world.recorder.voided == []


async def test_a_match_that_was_over_but_not_recorded_leaves_the_next_one_of_its_block() -> None:
    earlier = World()
    guests = by_hand(earlier)
    await kept(earlier)
    play(guests)
    earlier.timer.turn(0.1)  # the second match begins while the first waits to be recorded
    (left,) = await kept(earlier)
    assert sorted(match.begun.position for match in left.matches) == [0, 1]
    later = World()
    later.come_back(*later.take_over(earlier).values())
    await later.turn(0.5)
    of_block = [one for one in later.matches if one.block == left.running.block]
    assert [one.position for one in of_block] == [0, 1]
    assert all(one.transcript.result.faults == (0, 0) for one in of_block)
    # Nothing of the block is left for a third referee.
    over = [block_id for unkept in later.recorder.kept for block_id in unkept.over]
    assert left.running.block.id in over
    assert later.recorder.closed == later.recorder.voided == []


def unwritable(_: Transcript) -> bytes:
    raise RuntimeError("the secret of a bug")


async def test_a_match_that_cannot_be_written_down_is_void_with_its_block() -> None:
    world = World(write_down=unwritable)
    guests = by_hand(world)
    play(guests)
    with capture_logs() as log:
        await world.settle()
    assert [line["event"] for line in log] == ["match not written down"]
    assert world.matches == []
    # Storage has not heard of the block: nothing of it was played.
    assert world.recorder.closed == world.recorder.voided == []
    for guest in guests:
        assert guest.players[0].withdrawals == [
            "the match could not be recorded; it does not count"
        ]
        assert guest.players[0].ends == []
    assert [guest.offered for guest in guests] == [2, 2], "they play the next block"


async def test_a_block_that_is_over_is_void_if_a_match_of_it_cannot_be_written_down() -> None:
    world = World()
    guests = by_hand(world)
    play(guests)
    await world.settle()
    world.timer.turn(0.1)
    world.write_down = unwritable
    play(guests)
    with capture_logs() as log:
        await world.settle()
    assert [line["event"] for line in log] == ["match not written down"]
    (match,) = world.matches
    assert world.recorder.voided == [match.block.id]
    assert match.block.id not in world.writer.snapshots.known()
    for guest in guests:
        assert [len(player.withdrawals) for player in guest.players[:2]] == [0, 1]


async def test_a_match_that_cannot_be_continued_is_void_with_its_block() -> None:
    earlier = World()
    guests = by_hand(earlier)
    await kept(earlier)
    play(guests)
    earlier.timer.turn(0.1)
    (left,) = await kept(earlier)
    first, second = sorted(left.matches, key=lambda match: match.begun.position)
    impossible = replace(first, replies=((5, TimedAction("no seat of this match", 1)),))
    later = World()
    with capture_logs() as log:
        taken = later.take_over_these([replace(left, matches=(impossible, second))])
    assert [line["event"] for line in log] == ["match cannot go on"]
    await later.settle()
    assert [unkept.over for unkept in later.recorder.kept] == [(left.running.block.id,)]
    assert later.director.running == 0
    for guest in taken.values():
        (player,) = guest.players
        assert player.withdrawals == ["the referee cannot go on with this match; it does not count"]


async def test_when_a_match_breaks_the_others_of_its_block_are_void_too() -> None:
    earlier = World()
    guests = by_hand(earlier)
    await kept(earlier)
    play(guests)
    earlier.timer.turn(0.1)
    (left,) = await kept(earlier)
    later = World()
    # The first is over at once, and then cannot be written down; the second has just begun.
    first, second = sorted(left.matches, key=lambda match: match.begun.position)
    again = replace(left, matches=(replace(first, replies=first.replies[:-1]), second))
    taken = later.take_over_these([again])
    host = taken["one"].players[1].host
    assert isinstance(host, HostedMatch)
    host.break_off("a bug of ours")
    await later.settle()
    for guest in taken.values():
        assert [len(player.withdrawals) for player in guest.players] == [1, 1]
    assert later.director.running == 0
