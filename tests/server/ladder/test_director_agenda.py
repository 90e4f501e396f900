"""Blocks of a tournament: before the ladder's, and never cut short."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from uuid import uuid4

from arena.records import Block, BlockKind
from arena.scheduling.ladder import Candidate
from arena.server.ladder.agenda import Engagement, EngagementEnd
from arena.server.play.hosted_match import HostedMatch
from arena.server.play.kept_blocks import Place, RunningBlock
from arena.server.play.terms import Terms
from tests.server.ladder.arrivals import Guest, Habit, World, ladder


@dataclass
class Wishes:
    """An Agenda that is a list."""

    waiting: list[Engagement] = field(default_factory=list)
    endings: list[EngagementEnd] = field(default_factory=list)
    shown: set[int] = field(default_factory=set)
    """The versions that it was shown, as free or present."""
    asked: int = 0

    def wish(self, *guests: Guest, times: int = 1) -> None:
        bots = tuple(guest.registered.version_id for guest in guests)
        for _ in range(times):
            block = Block(str(uuid4()), BlockKind.SEAT, len(bots))
            self.waiting.append(Engagement(ladder(len(bots), dice_per_player=2), bots, block))

    @property
    def wanted(self) -> Collection[int]:
        self.asked += 1
        return {bot for engagement in self.waiting for bot in engagement.bots}

    def next_engagement(self, free: Sequence[Candidate]) -> Engagement | None:
        bots = {candidate.bot for candidate in free}
        self.shown |= bots
        for engagement in self.waiting:
            if bots.issuperset(engagement.bots):
                self.waiting.remove(engagement)
                return engagement
        return None

    def held(self, present: Sequence[Candidate]) -> Collection[int]:
        bots = {candidate.bot for candidate in present}
        self.shown |= bots
        return {
            bot
            for engagement in self.waiting
            if bots.issuperset(engagement.bots)
            for bot in engagement.bots
        }

    def taken_up(self, block_id: str) -> Engagement | None:
        for engagement in self.waiting:
            if engagement.block.id == block_id:
                self.waiting.remove(engagement)
                return engagement
        return None

    def ended(self, engagement: Engagement, ending: EngagementEnd) -> None:
        self.endings.append(ending)
        if ending is EngagementEnd.INTERRUPTED:
            self.waiting.append(engagement)


def world_with(wishes: Wishes) -> World:
    # At the first fault, so that a match that is left is lost and not just played badly.
    world = World(terms=Terms(fault_limit=1))
    world.director.agenda = wishes
    return world


def of_the_tournament(world: World) -> list[list[str]]:
    """The bots by seat of the matches that are not the ladder's, by block."""
    return [
        [" ".join(world.bots(match)) for match in block]
        for block in world.blocks()
        if block[0].transcript.setup.options.changed()["dice_per_player"] == 2
    ]


async def test_wanted_blocks_are_played_first_and_the_ladder_goes_on_beside_them() -> None:
    wishes = Wishes()
    world = world_with(wishes)
    a, b, *_ = (world.arrive(name) for name in "abcd")
    wishes.wish(a, b, times=3)
    await world.turn(1)
    assert of_the_tournament(world) == [["a b", "b a"]] * 3
    assert wishes.endings == [EngagementEnd.COMPLETE] * 3
    assert world.met()["c", "d"] > 0
    await world.turn(3)
    assert world.played()["a"] > 6


async def test_a_bot_that_is_here_for_tournaments_alone_plays_nothing_on_the_ladder() -> None:
    wishes = Wishes()
    world = world_with(wishes)
    a, b = (world.arrive(name, on_ladder=False, max_matches=2) for name in "ab")
    for name in "cd":
        world.arrive(name)
    wishes.wish(a, b, times=2)
    await world.turn(2)
    assert of_the_tournament(world) == [["a b", "b a"]] * 2
    assert world.met()["c", "d"] > 0
    assert world.played()["a"] == 4


async def test_the_ladder_uses_the_copy_that_is_not_here_for_tournaments() -> None:
    world = world_with(Wishes())
    a = world.arrive("a", on_ladder=False)
    copy = Guest(world, replace(a.registered, ladder=True), a.games, 1, instance="copy")
    world.arrive("b")
    await world.turn(1)
    assert a.offered == 0
    world.director.arrive(copy)
    await world.turn(1)
    assert a.offered == 0 and copy.offered > 0


async def test_the_agenda_is_shown_no_bot_that_it_does_not_want() -> None:
    wishes = Wishes()
    world = world_with(wishes)
    a, b, *_ = (world.arrive(name) for name in "abcd")
    gone = world.arrive("gone")
    world.director.depart(gone)
    wishes.wish(a, b)
    wishes.wish(a, gone)
    await world.turn(3)
    assert of_the_tournament(world) == [["a b", "b a"]]
    assert wishes.shown == {a.registered.version_id, b.registered.version_id}


async def test_the_agenda_is_asked_once_in_a_look_however_many_tables_are_opened() -> None:
    wishes = Wishes()
    world = world_with(wishes)
    a, gone = world.arrive("a"), world.arrive("gone")
    world.director.depart(gone)
    wishes.wish(a, gone)
    for number in range(40):
        world.arrive(f"bot{number}")
    world.timer.turn(0)
    assert world.director.running >= 20
    assert wishes.asked == 1


async def test_bots_that_a_wanted_block_waits_for_are_kept_from_the_ladder() -> None:
    wishes = Wishes()
    world = world_with(wishes)
    # Both are busy on the ladder, and never free at the same moment by themselves.
    a, b, *_ = (world.arrive(name, think_seconds=0.01 + n / 100) for n, name in enumerate("abcd"))
    await world.turn(1)
    wishes.wish(a, b)
    await world.turn(2)
    assert of_the_tournament(world) == [["a b", "b a"]]


async def test_a_block_whose_bot_leaves_is_played_on_when_it_is_back() -> None:
    wishes = Wishes()
    world = world_with(wishes)
    a, b = world.arrive("a"), world.arrive("b", habit=Habit.SILENT)
    wishes.wish(a, b)
    world.timer.turn(1)
    world.director.depart(b)
    b.players[-1].host.left(b.players[-1].seat)  # type: ignore[union-attr]
    await world.turn(60)
    assert of_the_tournament(world) == [["a b"]]
    assert world.matches[0].transcript.result.forfeited == (False, True)
    assert wishes.endings == [EngagementEnd.INTERRUPTED]
    assert world.recorder.closed == world.recorder.voided == []
    b.habit = Habit.PLAYS
    world.director.arrive(b)
    await world.turn(10)
    assert of_the_tournament(world) == [["a b", "b a"]]
    assert wishes.endings == [EngagementEnd.INTERRUPTED, EngagementEnd.COMPLETE]


async def test_a_bot_that_does_not_join_is_asked_again_later() -> None:
    wishes = Wishes()
    world = world_with(wishes)
    a, b = world.arrive("a"), world.arrive("b", habit=Habit.DECLINES)
    wishes.wish(a, b)
    await world.turn(4)
    assert (b.offered, wishes.endings) == (1, [EngagementEnd.INTERRUPTED])
    await world.turn(4)
    assert b.offered == 2
    b.habit = Habit.PLAYS
    await world.turn(15)
    assert of_the_tournament(world) == [["a b", "b a"]]


async def test_faults_lose_a_match_of_a_tournament_and_do_not_delay_it() -> None:
    wishes = Wishes()
    world = world_with(wishes)
    a, b = world.arrive("a"), world.arrive("b", habit=Habit.SILENT)
    wishes.wish(a, b, times=2)
    # Each match lasts for the time bank and one turn, 32 seconds, and no pause follows.
    await world.turn(150)
    assert of_the_tournament(world) == [["a b", "b a"]] * 2
    assert all(any(match.transcript.result.forfeited) for match in world.matches[:4])


async def test_a_block_that_is_broken_off_is_void_even_before_its_first_result() -> None:
    wishes = Wishes()
    world = world_with(wishes)
    a, b = world.arrive("a"), world.arrive("b")
    wishes.wish(a, b)
    world.timer.turn(0)
    host = a.players[-1].host
    assert isinstance(host, HostedMatch)
    host.break_off("a bug of ours")
    await world.settle()
    assert wishes.endings == [EngagementEnd.BROKEN]
    assert len(world.recorder.voided) == 1


async def test_of_a_block_that_an_earlier_referee_kept_nothing_stays_once_it_is_played() -> None:
    wishes = Wishes()
    world = world_with(wishes)
    a, b = world.arrive("a", think_seconds=0.001), world.arrive("b", think_seconds=0.001)
    wishes.wish(a, b)
    (engagement,) = wishes.waiting
    table, places = engagement.table_type, tuple(Place(one.registered, "") for one in (a, b))
    kept = RunningBlock(engagement.block, places, table.game, table.options, engaged=True)
    world.director.remember(kept)
    await world.turn(0.5, step=0.5)  # both matches are over before they would have been kept
    assert wishes.endings == [EngagementEnd.COMPLETE]
    assert engagement.block.id in {one for kept in world.recorder.kept for one in kept.over}


async def test_a_bot_that_missed_and_plays_again_may_be_wanted_in_the_middle_of_its_block() -> None:
    wishes = Wishes()
    world = world_with(wishes)
    a = world.arrive("a", max_matches=4, habit=Habit.NEVER_JOINS)
    b = world.arrive("b", max_matches=4, think_seconds=0.2)
    await world.turn(6)  # it is left out for not joining
    a.habit = Habit.PLAYS
    while not world.matches:  # its first match since, and so the end of its probation
        await world.turn(0.01)
    wishes.wish(a, b)
    world.director.schedule()
    await world.turn(20)
    assert of_the_tournament(world) == [["a b", "b a"]]
    assert wishes.endings == [EngagementEnd.COMPLETE]


async def test_a_tournament_waits_for_no_pace_of_a_bot() -> None:
    wishes = Wishes()
    world = world_with(wishes)
    slow, other = world.arrive("slow", pace=1), world.arrive("other")
    await world.turn(10)
    assert world.played()["slow"] == 2
    wishes.wish(slow, other, times=5)
    world.director.schedule()
    await world.turn(10)
    assert world.played()["slow"] == 12
