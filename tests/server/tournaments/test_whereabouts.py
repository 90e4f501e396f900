"""Tournaments go to the referee where their bots are."""

import pytest
from structlog.testing import capture_logs

from arena.server.tournaments.tournament import BlockState, TournamentState
from tests.recorded_results import finished
from tests.server.ladder.arrivals import Habit
from tests.server.tournaments.cups import CupWorld, counted, gone_to
from tests.waiting import until_async


async def test_a_tournament_is_handed_to_the_referee_where_its_bots_are(
    searching: CupWorld,
) -> None:
    world = searching
    guests = world.field("a", "b", "c")
    tournament = world.cup(guests)
    gone_to(world, guests[:2], 7)
    world.cups.elsewhere[5] = {guests[2].registered.version_id}  # alone, so no reason to go there
    await world.play(5)
    assert world.cups.handed_over == {tournament.id: 7}
    assert world.cups.begun_blocks == []
    world.director.arrive(guests[0])
    world.director.arrive(guests[1])
    await world.play(5)
    assert world.cups.begun_blocks == []  # it is another's now


async def test_a_result_of_another_match_that_waits_to_be_recorded_keeps_no_tournament_here(
    searching: CupWorld,
) -> None:
    world = searching
    guests = world.field("a", "b")
    tournament = world.cup(guests)
    for guest in guests:
        world.director.depart(guest)
    await world.play(1)
    versions = [guest.registered.version_id for guest in guests]
    # It waits as long as no time passes.
    world.writer.add(finished(versions), lambda: None, lambda: None)
    world.cups.elsewhere[7] = set(versions)
    await until_async(lambda: world.cups.handed_over)
    assert world.cups.handed_over == {tournament.id: 7}
    assert world.writer.waiting == 1


@pytest.mark.parametrize("reason", ["nobody to play there", "a game that they do not play"])
async def test_a_tournament_that_can_be_played_nowhere_else_stays(
    searching: CupWorld, reason: str
) -> None:
    world = searching
    guests = world.field("a", "b")
    world.cup(guests)
    gone_to(world, guests[:1], 7)
    if reason == "nobody to play there":
        world.cups.elsewhere[8] = {guests[1].registered.version_id}
    else:
        world.cups.elsewhere.clear()
    await world.play(5)
    assert world.cups.handed_over == {}
    world.director.arrive(guests[0])
    await world.play(10)
    assert world.state() is TournamentState.FINISHED


async def test_a_tournament_is_not_handed_over_while_it_can_go_on_here(
    searching: CupWorld,
) -> None:
    world = searching
    guests = world.field("a", "b", "c")
    world.cup(guests, blocks=3)
    world.cups.elsewhere[7] = {guest.registered.version_id for guest in guests}
    world.director.depart(guests[2])
    handed_over = False
    for _ in range(40):
        await world.play(0.25)
        played = counted(world)[("a", "b")]
        handed_over = bool(world.cups.handed_over)
        assert handed_over <= (played == 3)
    assert handed_over


async def test_an_interrupted_block_goes_on_where_its_bots_are(searching: CupWorld) -> None:
    world = searching
    guests = world.field("a", "b", habit=Habit.NEVER_JOINS)
    tournament = world.cup(guests)
    await world.play(8)
    assert world.cups.begun_blocks
    gone_to(world, guests, 7)
    await world.play(5)
    assert world.cups.handed_over == {tournament.id: 7}
    (block,) = world.cups.blocks_of(tournament)
    assert block.state is BlockState.OPEN


async def test_the_operator_reads_once_for_whom_a_tournament_waits(searching: CupWorld) -> None:
    world = searching
    guests = world.field("a", "b", "c")
    absent = guests[1:]
    world.cup(guests)
    for guest in absent:
        world.director.depart(guest)

    def waits() -> list[list[str]]:
        return [line["bots"] for line in log if line["event"] == "tournament waits for bots"]

    with capture_logs() as log:
        await world.play(3)
        assert waits() == [["b 1", "c 1"]]
        world.director.arrive(guests[1])
        await world.play(3)
        assert waits() == [["b 1", "c 1"], ["c 1"]]
        world.director.arrive(guests[2])
        await world.play(10)
    assert world.state() is TournamentState.FINISHED
    assert waits() == [["b 1", "c 1"], ["c 1"]]
    assert {line["tournament"] for line in log if "bots" in line} == {"cup1"}
