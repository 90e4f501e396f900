"""Tournaments conducted: to their end, through restarts, pauses, absences and breakdowns."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from structlog.testing import capture_logs

from arena.records import TournamentId
from arena.scheduling.formats import FormatName
from arena.server.play.hosted_match import HostedMatch
from arena.server.tournaments.tournament import BlockState, TournamentState
from tests.server.ladder.arrivals import Habit
from tests.server.ladder.recorders import down
from tests.server.tournaments.cups import CupWorld, counted


async def test_a_round_robin_is_played_to_its_end(world: CupWorld) -> None:
    world.cup(world.field("a", "b", "c", "d"), blocks=2)
    await world.play(30)
    assert world.state() is TournamentState.FINISHED
    assert counted(world) == dict.fromkeys(combinations("abcd", 2), 2)
    assert set(world.cups.opened) <= {match.block.id for match in world.matches}


@pytest.mark.parametrize(
    ("format_name", "blocks"),
    [(FormatName.SWISS, 6), (FormatName.KNOCKOUT, 4), (FormatName.GAUNTLET, 4)],
)
async def test_every_format_comes_to_its_end(
    world: CupWorld, format_name: FormatName, blocks: int
) -> None:
    world.cup(world.field(*"abcde"), format_name)
    await world.play(60)
    assert world.state() is TournamentState.FINISHED
    assert sum(counted(world).values()) >= blocks
    record = await world.record()
    plan = record.tournament.plan
    assert plan.next_pairings(5, record.played()) is None
    assert plan.standings(5, record.played())[0].rank == 1


async def test_tables_of_three_are_played_in_all_three_rotations(world: CupWorld) -> None:
    world.cup(world.field(*"abcd"), seats=3)
    await world.play(60)
    assert world.state() is TournamentState.FINISHED
    assert sum(counted(world).values()) == 4
    sizes = Counter(match.block.id for match in world.matches if len(match.version_ids) == 3)
    assert set(sizes.values()) == {3}


async def test_tournaments_take_turns_in_the_places_of_their_bots(world: CupWorld) -> None:
    guests = world.field("a", "b")
    cups = [world.cup(guests, blocks=20, number=number) for number in (1, 2)]
    await world.play(2)
    done = [
        sum(block.state is BlockState.CLOSED for block in world.cups.blocks_of(cup)) for cup in cups
    ]
    assert 1 < sum(done) < 40
    assert abs(done[0] - done[1]) <= 1


@pytest.mark.parametrize("format_name", [FormatName.SWISS, FormatName.KNOCKOUT])
async def test_larger_tables_with_byes_come_to_their_end_through_a_restart(
    worlds: list[CupWorld], format_name: FormatName
) -> None:
    before = CupWorld()
    worlds.append(before)
    before.cup(before.field(*"abcdefg"), format_name, seats=3, blocks=2)
    await before.play(1)
    assert before.state() is TournamentState.RUNNING
    await before.stop()
    recorder = before.cups
    (tournament,) = recorder.tournaments.values()
    recorder.voided += [
        one.block_id
        for one in recorder.blocks_of(tournament)
        if one.state is BlockState.OPEN  # as the next start does
    ]
    after = CupWorld(recorder)
    worlds[:] = [after]
    after.field(*"abcdefg")
    await after.play(120)
    assert after.state() is TournamentState.FINISHED
    record = await after.record()
    played, plan = record.played(), record.tournament.plan
    assert {len(one.pairing.entries) for one in played} == {1, 3}
    assert all(len(one.blocks) == plan.blocks_wanted(one) for one in played)
    for last in {one.pairing.round for one in played}:
        known = [one for one in played if one.pairing.round <= last]
        following = tuple(one.pairing for one in played if one.pairing.round == last + 1)
        assert (plan.next_pairings(7, known) or ()) == following
    lines = plan.standings(7, played)
    assert sorted(line.entry for line in lines) == list(range(1, 8))
    assert [line.rank for line in lines] == [
        1
        + sum((other.points, other.tie_breaks) > (line.points, line.tie_breaks) for other in lines)
        for line in lines
    ]


async def test_news_of_a_tournament_has_that_one_alone_read_again(world: CupWorld) -> None:
    guests = world.field("a", "b", "c", "d")
    for number in (1, 2, 3):
        world.cup(guests, blocks=5, number=number)
    await world.play(1)
    world.cups.read.clear()
    await world.play(1)
    assert world.cups.read == []  # results are no news of a tournament
    world.cups.put(replace(world.cups.tournaments[TournamentId(2)], state=TournamentState.PAUSED))
    await world.play(1)
    assert world.cups.read == [2]
    assert len(world.cups.pairings) == 3


async def test_a_restart_goes_on_and_plays_what_was_cut_off_again(
    worlds: list[CupWorld],
) -> None:
    before = CupWorld()
    worlds.append(before)
    before.cup(before.field(*"abcd"), blocks=3)
    await before.play(1)
    played = counted(before)
    assert 0 < sum(played.values()) < 18
    await before.stop()
    recorder = before.cups
    cut_off = [
        one.block_id
        for one in recorder.blocks_of(next(iter(recorder.tournaments.values())))
        if one.state is BlockState.OPEN
    ]
    recorder.voided += cut_off  # as the next start does
    after = CupWorld(recorder)
    worlds[:] = [after]
    after.field(*"abcd")
    await after.play(60)
    assert after.state() is TournamentState.FINISHED
    assert sum(counted(after).values()) == 18
    assert set(counted(after).values()) == {3}
    assert cut_off


async def test_what_was_paired_follows_from_what_was_played_before(world: CupWorld) -> None:
    world.cup(world.field(*"abcdef"), FormatName.SWISS, rounds=3)
    await world.play(60)
    assert world.state() is TournamentState.FINISHED
    record = await world.record()
    played = record.played()
    for last in range(3):
        known = [one for one in played if one.pairing.round <= last]
        following = tuple(one.pairing for one in played if one.pairing.round == last + 1)
        assert len(following) == 3
        assert record.tournament.plan.next_pairings(6, known) == following


@pytest.mark.slow
async def test_a_paused_tournament_begins_nothing_and_goes_on_when_resumed(
    world: CupWorld,
) -> None:
    tournament = world.cup(world.field(*"abcd"), blocks=5)
    await world.play(1)
    world.cups.put(replace(tournament, state=TournamentState.PAUSED))
    await world.play(2)
    begun = len(world.cups.begun_blocks)
    assert 0 < begun < 30
    ladder_matches = len(world.matches)
    await world.play(5)
    assert len(world.cups.begun_blocks) == begun
    assert len(world.matches) > ladder_matches  # the ladder has them now
    world.cups.put(tournament)
    await world.play(60)
    assert world.state() is TournamentState.FINISHED
    assert sum(counted(world).values()) == 30


async def test_a_cancelled_tournament_ends_with_what_runs(world: CupWorld) -> None:
    tournament = world.cup(world.field(*"ab"), blocks=50)
    await world.play(1)
    world.cups.put(replace(tournament, state=TournamentState.CANCELLED))
    await world.play(5)
    blocks = world.cups.blocks_of(tournament)
    assert 0 < len(blocks) < 50
    assert {block.state for block in blocks} == {BlockState.CLOSED}
    assert world.state() is TournamentState.CANCELLED


async def test_a_tournament_waits_for_its_bots_and_plays_among_the_others_meanwhile(
    world: CupWorld,
) -> None:
    a, b, c = world.field(*"abc")
    world.director.depart(c)
    world.cup([a, b, c])
    await world.play(5)
    assert counted(world) == {("a", "b"): 1}
    assert world.state() is TournamentState.RUNNING
    world.director.arrive(c)
    await world.play(10)
    assert world.state() is TournamentState.FINISHED
    assert sum(counted(world).values()) == 3


async def test_whoever_withdraws_loses_what_is_not_played_yet(world: CupWorld) -> None:
    a, b, c = world.field(*"abc")
    world.director.depart(c)
    tournament = world.cup([a, b, c], blocks=2)
    await world.play(5)
    assert world.state() is TournamentState.RUNNING
    entries = (*tournament.entries[:2], replace(tournament.entries[2], withdrawn=True))
    world.cups.put(replace(tournament, entries=entries))
    await world.play(5)
    assert world.state() is TournamentState.FINISHED
    lines = (await world.record()).tournament.plan.standings(3, (await world.record()).played())
    assert lines[-1].entry == 3 and lines[-1].points == 0
    assert sum((line.points for line in lines), Fraction(0)) == 6


async def test_a_block_that_its_withdrawn_bot_left_is_void(world: CupWorld) -> None:
    a, b = world.field("a"), world.field("b", habit=Habit.NEVER_JOINS)
    tournament = world.cup([*a, *b])
    await world.play(7)
    entries = (tournament.entries[0], replace(tournament.entries[1], withdrawn=True))
    world.cups.put(replace(tournament, entries=entries))
    await world.play(5)
    assert world.state() is TournamentState.FINISHED
    assert len(world.cups.voided) == 1


async def test_a_block_that_is_left_after_its_bot_withdrew_is_void(world: CupWorld) -> None:
    a, b = world.arrive("a"), world.arrive("b", habit=Habit.NEVER_JOINS)
    tournament = world.cup([a, b])
    await world.play(2)
    entries = (tournament.entries[0], replace(tournament.entries[1], withdrawn=True))
    world.cups.put(replace(tournament, entries=entries))
    await world.play(1)
    assert (b.offered, world.cups.voided) == (1, [])  # the offer is still open
    await world.play(5)
    assert world.state() is TournamentState.FINISHED
    assert world.cups.voided == [one.block.id for one in world.cups.begun_blocks]


async def test_storage_may_fail_for_a_while(world: CupWorld) -> None:
    world.cup(world.field(*"abc"), FormatName.SWISS, rounds=2)
    world.cups.failures += [down()] * 4
    await world.play(2)
    world.cups.failures += [down()] * 3
    await world.play(60)
    assert world.state() is TournamentState.FINISHED


async def test_a_tournament_whose_matches_break_is_paused(world: CupWorld) -> None:
    a, b = world.field("a", "b", think_seconds=1)
    world.cup([a, b])
    for _ in range(10):
        await world.play(0.5)
        for player in a.players:
            assert isinstance(player.host, HostedMatch)
            player.host.break_off("a bug of ours")
    assert world.state() is TournamentState.PAUSED
    assert counted(world) == {}


async def test_two_tournaments_run_beside_each_other(world: CupWorld) -> None:
    guests = world.field(*"abcd", max_matches=4)
    world.cup(guests, number=1)
    world.cup(guests, FormatName.KNOCKOUT, number=2)
    await world.play(60)
    assert world.state(1) is world.state(2) is TournamentState.FINISHED


async def test_bots_of_other_games_are_waited_for(world: CupWorld) -> None:
    world.cup([world.arrive("a"), world.arrive("b", games=["bloeff"])])
    await world.play(5)
    assert world.cups.begun_blocks == []


@pytest.mark.slow
async def test_a_tournament_of_a_game_of_a_newer_release_is_left_alone(world: CupWorld) -> None:
    guests = world.field("a", "b")
    strange = world.cup(guests, number=1)
    world.cups.put(replace(strange, rules=replace(strange.rules, game="newer")))
    known = world.cup(guests, number=2)
    with capture_logs() as log:
        await world.play(30)
    states = {one.id: one.state for one in world.cups.tournaments.values()}
    assert states == {strange.id: TournamentState.RUNNING, known.id: TournamentState.FINISHED}
    told = [line for line in log if "newer release" in line["event"]]
    assert [line["tournament"] for line in told] == [strange.name]
