"""The ladder at work: blocks, fresh deals, and who meets whom."""

import itertools
from collections import Counter
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from arena.match.verify import verify
from arena.records import BlockKind
from arena.scheduling.ladder import MeetingCounts
from tests.server.ladder.arrivals import Habit, World, ladder


@pytest.mark.parametrize("seats", [2, 3, 6])
async def test_a_block_seats_everybody_in_every_seat_once(seats: int) -> None:
    world = World(ladder(seats))
    for number in range(seats):
        world.arrive(f"bot{number}")
    await world.turn(4)
    whole = [block for block in world.blocks() if len(block) == seats]
    assert whole
    for block in whole:
        assert [match.position for match in block] == list(range(seats))
        assert {match.block.size for match in block} == {seats}
        assert {match.block.kind for match in block} == {BlockKind.SEAT}
        for seat in range(seats):
            assert len({world.bots(match)[seat] for match in block}) == seats


async def test_while_another_referees_state_is_read_no_block_begins() -> None:
    world = World(ladder(2))
    with world.director.held():
        for name in "ab":
            world.arrive(name)
        await world.turn(2)
        assert world.matches == []
    await world.turn(2)
    assert world.matches


async def test_no_two_matches_share_an_id_a_secret_or_a_deal() -> None:
    # Thirty dice: that two deals fall alike by chance is out of the question (1 in 10^13).
    world = World(ladder(6, dice_per_player=5))
    for number in range(6):
        world.arrive(f"bot{number}", max_matches=4)
    await world.turn(6)
    transcripts = [match.transcript for match in world.matches]
    assert len(transcripts) > 20
    for transcript in transcripts[:10]:
        verify(transcript)
    assert len({t.setup.match_id for t in transcripts}) == len(transcripts)
    assert len({t.commitment for t in transcripts}) == len(transcripts)
    assert len({str(t.steps[0].action) for t in transcripts}) == len(transcripts)


async def test_the_matches_of_a_block_are_played_one_after_the_other() -> None:
    world = World()
    guests = [world.arrive(f"bot{number}", max_matches=8) for number in range(2)]
    for _ in range(100):
        world.timer.turn(0.01)
        assert all(guest.playing <= 8 for guest in guests)
    await world.settle()
    for block in world.blocks():
        for earlier, later in itertools.pairwise(block):
            assert earlier.finished_at <= later.started_at


async def test_a_bot_never_plays_more_matches_at_once_than_it_asked_for() -> None:
    world = World(ladder(2), ladder(3))
    guests = [world.arrive(f"bot{n}", max_matches=n + 1) for n in range(4)]
    most = [0] * 4
    for _ in range(100):
        world.timer.turn(0.02)
        most = [max(m, guest.playing) for m, guest in zip(most, guests, strict=True)]
        await world.settle()
    assert all(m <= guest.max_matches for m, guest in zip(most, guests, strict=True))
    assert max(most) > 1


async def test_two_bots_of_one_owner_never_meet_but_house_bots_may() -> None:
    world = World(ladder(2), ladder(3))
    for name in ("a1", "a2"):
        world.arrive(name, owner="a", max_matches=2)
    for name in ("h1", "h2"):
        world.arrive(name, owner="house", house=True, max_matches=2)
    world.arrive("b", max_matches=2)
    await world.turn(3)
    met = world.met()
    assert met["a1", "a2"] == 0
    assert met["h1", "h2"] > 0
    assert met["a1", "b"] > 0
    assert met["a1", "h1"] > 0


async def test_copies_of_one_version_do_not_meet_each_other() -> None:
    world = World()
    first = world.arrive("one", max_matches=4)
    copy = world.arrive("one", max_matches=4)
    world.director.depart(copy)
    copy.registered = first.registered
    world.director.arrive(copy)
    await world.turn(1)
    assert world.matches == []
    world.arrive("other", max_matches=8)
    await world.turn(1)
    assert all(sorted(world.bots(match)) == ["one", "other"] for match in world.matches)
    assert abs(first.offered - copy.offered) <= 4


@pytest.mark.slow
async def test_all_play_alike_and_opponents_even_out_also_among_fast_and_slow_bots() -> None:
    world = World()
    slowness = {f"bot{number}": 1 + number % 3 for number in range(6)}
    for name, times in slowness.items():
        world.arrive(name, max_matches=4, think_seconds=0.02 * times)
    # A minute, since chance deals and pairs: in ten runs the shares below had standard deviations
    # of 0.005, 0.016 and 0.028, and after six seconds the second was now and then under 0.3.
    await world.turn(60)
    played, met = world.played(), world.met()
    assert len(met) == 15
    assert min(played.values()) > 0.6 * max(played.values())
    # Of all pairs the same number is playing at any time, so quick ones meet more often.
    assert min(met.values()) > 0.3 * max(met.values())
    busy = {(one, two): met[one, two] * (slowness[one] + slowness[two]) for one, two in met}
    assert min(busy.values()) > 0.65 * max(busy.values())


async def test_what_was_played_before_the_start_is_evened_out() -> None:
    counts = MeetingCounts()
    counts.add_matches(ladder(), 1, 1_000)
    counts.add_meetings(ladder(), 1, 2, 1_000)
    counts.add_meetings(ladder(), 1, 3, 1_000)
    world = World(counts=counts)
    for name in ("veteran", "new1", "new2"):
        world.arrive(name)
    await world.turn(2)
    played = world.played()
    assert 0 < 2 * played["veteran"] < min(played["new1"], played["new2"])


async def test_small_tables_do_not_starve_large_ones() -> None:
    world = World(ladder(2), ladder(6))
    for number in range(8):
        world.arrive(f"bot{number}", max_matches=4)
    await world.turn(6)
    seats = {2: 0, 6: 0}
    for match in world.matches:
        seats[len(world.bots(match))] += len(world.bots(match))
    assert seats[2] > 0
    assert seats[6] > 0
    assert 0.2 < seats[6] / (seats[2] + seats[6]) < 0.95


async def test_tables_of_one_size_take_no_more_than_an_equal_part_of_all_places() -> None:
    world = World(ladder(2), ladder(6))
    guests = [
        world.arrive(f"bot{number}", max_matches=4, habit=Habit.SILENT) for number in range(6)
    ]
    world.timer.turn(0)
    seated: Counter[int] = Counter()
    for guest in guests:
        for player in guest.players:
            assert player.host is not None
            seated[len(player.host.setup.entrants)] += 1
    assert seated[2] == 12
    assert seated[6] > 0


async def test_a_ladder_that_nobody_can_play_leaves_its_places_to_the_others() -> None:
    world = World(ladder(2), ladder(6))
    guests = [world.arrive(f"bot{number}", max_matches=4) for number in range(3)]
    await world.turn(2)
    running = Counter[int]()
    for _ in range(50):
        await world.turn(0.02, step=0.02)
        running[world.director.running] += 1
    # 3 × 4 places, two a table; the bots of two that end together wait a moment for others.
    assert running[6] > 0.7 * running.total()
    assert all(guest.offered for guest in guests)


@pytest.mark.slow
async def test_bots_sit_only_where_they_can_play() -> None:
    world = World(ladder(2), ladder(2, "bloeff"))
    for name in ("x", "y"):
        world.arrive(name, games=("bloeff",))
        world.arrive(f"bluff-{name}")
    await world.turn(40, step=5)
    assert set(world.met()) == {("x", "y"), ("bluff-x", "bluff-y")}


async def test_every_recorded_match_is_told_to_its_players_once() -> None:
    world = World()
    guests = [world.arrive(f"bot{number}") for number in range(2)]
    await world.turn(1)
    told = sum(len(player.ends) for guest in guests for player in guest.players)
    assert told == 2 * len(world.matches)
    assert all(len(player.ends) <= 1 for guest in guests for player in guest.players)


async def test_a_match_that_storage_refuses_is_told_as_withdrawn() -> None:
    class Refusing(type(World().recorder)):  # type: ignore[misc]
        async def record(self, matches: object, kept: object = ()) -> None:
            raise ValueError("no")

    world = World(recorder=Refusing())
    guest = world.arrive("one")
    world.arrive("two")
    with capture_logs() as log:
        await world.turn(0.5)
    assert {line["event"] for line in log} == {"result refused"}
    over = [player for player in guest.players if player.told_over]
    assert over
    assert not any(player.ends for player in over)
    assert {reason for player in over for reason in player.withdrawals} == {
        "the match could not be recorded; it does not count"
    }


async def test_a_wall_clock_that_is_moved_changes_no_duration() -> None:
    world = World()
    for name in ("one", "other"):
        world.arrive(name, think_seconds=0.5)
    for moved in (timedelta(seconds=-2), timedelta(days=-400), timedelta(days=900)):
        await world.turn(0.6)
        world.wall += moved
        await world.turn(3)
    assert len(world.matches) > 3
    for match in world.matches:
        thought = sum(step.milliseconds for step in match.transcript.steps) / 1000
        lasted = (match.finished_at - match.started_at).total_seconds()
        assert thought <= lasted < thought + 2


async def test_several_reasons_to_look_for_tables_cause_one_look() -> None:
    world = World()
    for _ in range(3):
        world.director.schedule()
    assert world.timer.arranged == 1
    world.timer.turn(0)
    assert world.timer.arranged == 0
    world.director.schedule()
    assert world.timer.arranged == 1


async def test_who_is_gone_is_known_until_its_places_are_free() -> None:
    world = World()
    one, _ = world.arrive("a", think_seconds=1.0), world.arrive("b")
    await world.turn(0.5)
    world.director.depart(one)
    assert world.director.knows(one), "a block waits for it"
    await world.turn(120)
    assert not world.director.knows(one)


@pytest.mark.slow
async def test_bots_with_one_place_each_meet_all_others_and_not_each_other_again_and_again() -> (
    None
):
    world = World()
    for number in range(6):
        world.arrive(f"bot{number}", think_seconds=0.02 + 0.003 * number)
    await world.turn(60)
    assert len(world.met()) == 15
