"""Challenges: unrated blocks beside the ladder, which they change in nothing but places."""

from dataclasses import dataclass, field, replace

import pytest

from arena.codec.transcript import to_bytes
from arena.match.clock import TimeControl
from arena.match.transcript import Transcript
from arena.records import FinishedMatch
from arena.scheduling.ladder import MeetingCounts
from arena.server.ladder.challenge_book import MOST_IN_ALL, MOST_OF_ONE, MOST_WAITING_SECONDS
from arena.server.ladder.challenges import Challenge, ChallengeRefusal, ChallengeRefusedError
from arena.server.play.ports import ChallengePolicy
from tests.server.ladder.arrivals import Guest, Habit, World, ladder

ACCEPT, OWN_ONLY = ChallengePolicy.ACCEPT, ChallengePolicy.OWN_ONLY
CONTROL = TimeControl(60_000, 120_000)


@dataclass
class Follower:
    matches: list[FinishedMatch] = field(default_factory=list)
    end: tuple[int, str] | None = None

    def recorded(self, match: FinishedMatch) -> None:
        assert self.end is None
        self.matches.append(match)

    def over(self, played: int, reason: str) -> None:
        assert self.end is None
        self.end = played, reason


def wanted(challenger: Guest, *opponents: str, seats: int = 2, matches: int = 1) -> Challenge:
    # Another table than the ladder's, so that its matches are known by it.
    table = replace(ladder(seats, dice_per_player=2), time_control=CONTROL)
    version = challenger.registered.version_id
    return Challenge(table, version, challenger.instance, opponents, matches)


def casual(world: World) -> list[FinishedMatch]:
    return [match for match in world.matches if not match.block.rated]


def charged(world: World) -> list[int]:
    """The places of hosts that guests are charged for."""
    tables = world.director._tables
    return [places for shared in tables._shared.values() for places in shared._charged.values()]


async def test_matches_of_a_challenge_are_unrated_and_played_at_its_own_pace() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    world.arrive("you", challenges=ACCEPT)
    follower = Follower()
    world.director.challenges.take(wanted(me, "you", matches=5), follower)
    await world.turn(5)
    assert follower.matches == world.matches == casual(world)
    assert follower.end == (5, "")
    (block,) = world.blocks()
    assert [match.position for match in block] == list(range(5))
    assert {match.transcript.setup.time_control for match in block} == {CONTROL}
    seats = [world.bots(match) for match in block]
    assert seats[0] == seats[2] == seats[4] == seats[1][::-1] == seats[3][::-1]


async def test_what_a_challenge_takes_of_a_bots_places_is_given_back_as_it_was_taken() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    world.arrive("you", challenges=ACCEPT, think_seconds=1)
    taken = []
    for matches in (1, 2):
        world.director.challenges.take(wanted(me, "you", matches=matches), Follower())
        await world.turn(0.1)
        taken.append(charged(world))
        await world.turn(60)
        assert charged(world) == [], matches
    assert taken == [[1], [1]]


async def test_who_plays_only_its_own_challenges_is_offered_no_rated_match() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    for name in "abc":
        world.arrive(name)
    await world.turn(5)
    assert me.offered == 0
    assert world.matches


async def test_a_challenge_is_no_meeting_on_the_ladder() -> None:
    counts = MeetingCounts()
    world = World(counts=counts)
    me = world.arrive("me", challenges=OWN_ONLY)
    you = world.arrive("you", challenges=ACCEPT)
    follower = Follower()
    version = me.registered.version_id
    world.director.challenges.take(Challenge(ladder(), version, "", ("you",), 2), follower)
    await world.turn(3)
    assert follower.end == (2, "")
    assert counts.matches(ladder(), version) == 0
    assert counts.meetings(ladder(), version, you.registered.version_id) == 0


async def test_a_busy_opponent_plays_as_soon_as_it_has_a_place() -> None:
    world = World()
    # All are busy on the ladder, and never free at the same moment by themselves.
    a, *_ = (
        world.arrive(name, think_seconds=0.01 + n / 100, challenges=ACCEPT)
        for n, name in enumerate("abcd")
    )
    await world.turn(1)
    follower = Follower()
    world.director.challenges.take(wanted(a, "c"), follower)
    await world.turn(2)
    assert follower.end == (1, "")
    before = len(world.matches)
    await world.turn(1)
    assert len(world.matches) > before


async def test_a_waiting_challenge_keeps_one_place_of_its_bots_from_the_ladder() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    slow = world.arrive("slow", challenges=ACCEPT, max_matches=1, think_seconds=50)
    world.arrive("other", challenges=ACCEPT, max_matches=1, think_seconds=50)
    world.director.challenges.take(wanted(slow, "other", matches=9), Follower())
    await world.turn(1)
    bots = [world.arrive(name, challenges=ACCEPT, max_matches=4) for name in "abc"]
    world.director.challenges.take(wanted(me, "a", "b", "c", "slow", seats=5), Follower())
    before = len(world.matches)
    most = 0
    for _ in range(200):
        await world.turn(0.01)
        most = max(most, *(bot.playing for bot in bots))
    assert len(world.matches) > before + 10
    assert most == 3


async def test_who_has_no_place_for_its_own_challenges_keeps_nobody_from_the_ladder() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY, max_matches=1, think_seconds=50)
    world.arrive("slow", challenges=ACCEPT, max_matches=1)
    world.director.challenges.take(wanted(me, "slow", matches=9), Follower())
    await world.turn(1)
    for name in "abc":
        world.arrive(name, challenges=ACCEPT, max_matches=1)
        world.director.challenges.take(wanted(me, name), Follower())
    await world.turn(5)
    assert len(world.matches) > 10


async def test_the_only_place_of_a_challenger_keeps_others_free_for_one_of_its_challenges() -> None:
    world = World()
    for name in ("busy", "busier"):
        world.arrive(name, challenges=ACCEPT, think_seconds=50)
    await world.turn(1)
    me = world.arrive("me", challenges=OWN_ONLY)
    for name in "ab":
        world.arrive(name, challenges=ACCEPT, habit=Habit.DECLINES)
    for others in (("a", "busy"), ("b", "busier")):
        world.director.challenges.take(wanted(me, *others, seats=3), Follower())
    held = world.director.challenges.held(world.timer.now())
    assert {bot.name: places for bot, places in held.items()} == {"me": 2, "a": 1, "busy": 1}


@pytest.mark.slow
async def test_seats_that_are_left_are_taken_by_chance_by_bots_that_accept() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    for name in "abcdef":
        world.arrive(name, challenges=ACCEPT if name in "abcd" else ChallengePolicy.OWN)
    met = set()
    for _ in range(36):
        follower = Follower()
        world.director.challenges.take(wanted(me, "a", seats=3), follower)
        await world.turn(2)
        (match,) = follower.matches
        met |= set(world.bots(match)) - {"me", "a"}
    assert met == set("bcd")


async def test_challenges_that_cannot_be_played_are_refused_and_change_nothing() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    world.arrive("shy")
    world.arrive("other", challenges=ACCEPT, games=["bloeff"])
    world.arrive("you", challenges=ACCEPT, max_matches=4)
    cases = [
        (wanted(me, "nobody"), "Those that do: you"),
        (wanted(me, "shy"), "does not accept"),
        (wanted(me, "other"), "does not play bluff"),
        (wanted(me, "you:2"), "you:2 is not connected"),
        (wanted(me, seats=3), "1 more opponents are needed"),
    ]
    for asked, why in cases:
        with pytest.raises(ChallengeRefusedError, match=why) as refused:
            world.director.challenges.take(asked, Follower())
        assert refused.value.why is ChallengeRefusal.NOT_NOW
    with pytest.raises(ChallengeRefusedError, match="name each opponent once") as refused:
        world.director.challenges.take(wanted(me, "you", "YOU", seats=3), Follower())
    assert refused.value.why is ChallengeRefusal.IMPOSSIBLE
    for own_name in ("me", "ME:1"):
        with pytest.raises(ChallengeRefusedError, match="cannot challenge itself") as refused:
            world.director.challenges.take(wanted(me, own_name), Follower())
        assert refused.value.why is ChallengeRefusal.IMPOSSIBLE
    world.director.depart(me)
    with pytest.raises(ChallengeRefusedError, match="your bot is not connected"):
        world.director.challenges.take(wanted(me, "you"), Follower())
    assert not me.players


async def test_a_bot_plays_a_quarter_of_its_places_and_at_least_one_as_challenges_of_others() -> (
    None
):
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY, max_matches=64)
    large = world.arrive("large", challenges=ACCEPT, max_matches=8, think_seconds=1)
    world.arrive("small", challenges=ACCEPT, max_matches=1, think_seconds=1)
    for name, most in (("large", 2), ("small", 1)):
        for _ in range(most):
            world.director.challenges.take(wanted(me, name), Follower())
        with pytest.raises(ChallengeRefusedError, match="its limit of challenges") as refused:
            world.director.challenges.take(wanted(me, name), Follower())
        assert refused.value.why is ChallengeRefusal.TOO_MANY
    world.timer.turn(0)
    assert large.playing == 2
    await world.turn(60)
    world.director.challenges.take(wanted(me, "large"), Follower())


async def test_one_owner_has_so_many_challenges_at_once() -> None:
    world = World()
    mine = [world.arrive(name, owner="me", challenges=OWN_ONLY, max_matches=64) for name in "xy"]
    world.arrive("you", challenges=ACCEPT, max_matches=64)
    for number in range(MOST_OF_ONE):
        world.director.challenges.take(wanted(mine[number % 2], "you"), Follower())
    with pytest.raises(ChallengeRefusedError, match="8 challenges already"):
        world.director.challenges.take(wanted(mine[0], "you"), Follower())
    other = world.arrive("other", challenges=OWN_ONLY)
    world.director.challenges.take(wanted(other, "you"), Follower())


async def test_a_referee_has_so_many_challenges_at_once() -> None:
    world = World()
    for owner in range(MOST_IN_ALL // MOST_OF_ONE):
        mine = world.arrive(f"bot{owner}", challenges=OWN_ONLY, max_matches=64)
        world.arrive(f"you{owner}", challenges=ACCEPT, max_matches=64)
        for _ in range(MOST_OF_ONE):
            world.director.challenges.take(wanted(mine, f"you{owner}"), Follower())
    other = world.arrive("other", challenges=OWN_ONLY)
    world.arrive("free", challenges=ACCEPT)
    with pytest.raises(ChallengeRefusedError, match=f"plays {MOST_IN_ALL} challenges"):
        world.director.challenges.take(wanted(other, "free"), Follower())


async def test_a_challenge_takes_from_its_owners_share_of_the_opponents_places() -> None:
    async def held(challenges: int) -> int:
        world = World()
        me = world.arrive("me", max_matches=16, think_seconds=1)
        you = world.arrive("you", max_matches=16, challenges=ACCEPT, think_seconds=1)
        world.arrive("third", max_matches=16, think_seconds=1)
        await world.turn(30)  # so that it is no longer new
        for _ in range(challenges):
            world.director.challenges.take(wanted(me, "you", matches=50), Follower())
        await world.turn(20)
        return sum(
            not player.over
            for player in you.players
            if player.host is not None
            and "me" in [one.bot for one in player.host.setup.entrants]
            and player.host.setup.time_control != CONTROL
        )

    assert await held(0) == await held(4) + 4


async def test_nobody_avoids_an_opponent_on_the_ladder_by_challenging_it() -> None:
    world = World()
    me = world.arrive("me", max_matches=8, think_seconds=0.1)
    for name in ("strong", "b", "c", "d", "e"):
        world.arrive(name, max_matches=8, challenges=ACCEPT, think_seconds=0.1)
    for _ in range(2):
        world.director.challenges.take(wanted(me, "strong", matches=100), Follower())
    await world.turn(10)
    assert casual(world)
    met = [set(world.bots(match)) for match in world.matches if match.block.rated]
    assert {"me", "strong"} in met


@pytest.mark.parametrize(
    ("habit", "why"),
    [(Habit.NEVER_JOINS, "you did not join in time."), (Habit.DECLINES, "you declined.")],
)
async def test_a_challenge_ends_when_an_opponent_does_not_play(habit: Habit, why: str) -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    you = world.arrive("you", challenges=ACCEPT, habit=habit)
    follower = Follower()
    world.director.challenges.take(wanted(me, "you", matches=3), follower)
    await world.turn(65)  # where a turn is long, so is the time to join
    assert follower.end == (0, why)
    you.habit = Habit.PLAYS
    world.arrive("third")
    await world.turn(3)
    # Nobody is left out of the ladder for a challenge.
    assert world.played()["you"] > 0


async def test_a_challenge_ends_when_a_bot_leaves_between_two_matches() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    you = world.arrive("you", challenges=ACCEPT)
    follower = Follower()
    world.director.challenges.take(wanted(me, "you", matches=100), follower)
    while not (world.matches and you.players[-1].turns and not you.players[-1].over):
        await world.turn(0.01, 0.01)
    world.director.depart(you)
    host = you.players[-1].host
    assert host is not None
    host.left(you.players[-1].seat)
    await world.turn(80)
    assert follower.end is not None
    played, reason = follower.end
    assert played == len(follower.matches) < 100
    assert reason == "A bot has left."
    assert world.recorder.closed == [world.matches[0].block.id]
    assert me.playing == 0


async def test_a_challenge_that_finds_no_free_place_in_time_is_given_up() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    world.arrive("you", challenges=ACCEPT, habit=Habit.SILENT)
    busy, late = Follower(), Follower()
    world.director.challenges.take(wanted(me, "you"), busy)
    other = world.arrive("other", challenges=ACCEPT)
    world.director.challenges.take(wanted(me, "other"), late)
    await world.turn(MOST_WAITING_SECONDS + 1)
    assert late.end == (0, "me had no free place in time.")
    assert other.offered == 0


async def test_a_challenge_goes_on_with_the_next_referee_unrated_and_with_its_clocks() -> None:
    earlier = World()
    me = earlier.arrive("me", challenges=OWN_ONLY, think_seconds=0.4)
    earlier.arrive("you", challenges=ACCEPT, think_seconds=0.4)
    earlier.director.challenges.take(wanted(me, "you", matches=3), Follower())
    await earlier.turn(1.4)
    while not any(match.replies for kept in earlier.recorder.left() for match in kept.matches):
        await earlier.turn(0.4)
    earlier.director.suspend()
    later = World()
    guests = later.take_over(earlier)
    for guest in guests.values():
        guest.challenges = OWN_ONLY if guest.registered.entrant.bot == "me" else ACCEPT
    later.come_back(*guests.values())
    await later.turn(20)
    matches = [*earlier.matches, *later.matches]
    assert len(matches) == 3
    assert not any(match.block.rated for match in matches)
    assert {match.transcript.setup.time_control for match in matches} == {CONTROL}
    assert len({match.block.id for match in matches}) == 1


@pytest.mark.slow
async def test_a_challenge_is_over_when_a_match_of_it_cannot_be_written_down() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    world.arrive("you", challenges=ACCEPT)
    follower = Follower()
    world.director.challenges.take(wanted(me, "you", matches=3), follower)
    written = iter([True, False, False])

    def write_down(transcript: Transcript) -> bytes:
        if next(written):
            return to_bytes(transcript)
        raise RuntimeError("a mistake of ours")

    world.write_down = write_down
    await world.turn(5)
    assert len(follower.matches) == 1
    assert follower.end == (1, "A match was aborted because of an error of the referee.")
