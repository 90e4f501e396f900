"""Which copies and versions a challenge gets, and what a refusal says of the others."""

import pytest

from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.server.ladder.challenges import Challenge, ChallengeRefusal, ChallengeRefusedError
from tests.server.ladder.arrivals import Guest, Habit, World, ladder
from tests.server.ladder.test_challenges import ACCEPT, OWN_ONLY, Follower, wanted


def another(
    world: World, of: Guest, *, version: str = "1", instance: str = "", max_matches: int = 1
) -> Guest:
    """Another copy, or with another label another version, of a bot."""
    entrant = Entrant(of.registered.entrant.bot, version, of.registered.entrant.owner)
    number = of.registered.version_id + (100 if version != of.registered.entrant.version else 0)
    registered = Registered(VersionId(number), entrant, False)
    guest = Guest(world, registered, of.games, max_matches, instance=instance)
    guest.challenges = of.challenges
    guest.habit = of.habit
    world.director.arrive(guest)
    return guest


def idle(world: World, name: str, **given: object) -> Guest:
    """A bot that holds its places once it has them: it joins and never answers."""
    return world.arrive(name, habit=Habit.SILENT, **given)  # type: ignore[arg-type]


async def test_an_opponent_named_without_a_version_is_its_newest() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    old = idle(world, "you", challenges=ACCEPT)
    new = another(world, old, version="2")
    world.director.challenges.take(wanted(me, "you"), Follower())
    await world.turn(0.1)
    assert (old.offered, new.offered) == (0, 1)


async def test_an_opponent_is_named_in_any_case() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    street = idle(world, "Straße", challenges=ACCEPT)
    world.director.challenges.take(wanted(me, "STRASSE"), Follower())
    await world.turn(0.1)
    assert street.offered == 1


async def test_an_opponent_named_with_its_version_is_that_one() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    old = idle(world, "you", challenges=ACCEPT)
    new = another(world, old, version="2")
    world.director.challenges.take(wanted(me, "YOU:1"), Follower())
    await world.turn(0.1)
    assert (old.offered, new.offered) == (1, 0)


async def test_a_bot_challenges_another_version_of_itself_by_its_own_name() -> None:
    world = World()
    me = idle(world, "me", challenges=ACCEPT)
    older = another(world, me, version="0")
    world.director.challenges.take(wanted(me, "me"), Follower())
    await world.turn(0.1)
    assert (me.offered, older.offered) == (1, 1)


async def test_of_an_opponents_copies_the_one_that_takes_most_further_challenges_plays() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY, max_matches=8)
    small = idle(world, "you", challenges=ACCEPT, max_matches=4)
    large = another(world, small, instance="large", max_matches=16)
    for _ in range(3):
        world.director.challenges.take(wanted(me, "you"), Follower())
    await world.turn(0.1)
    assert (small.offered, large.offered) == (0, 3)


async def test_of_my_copies_the_one_with_most_free_places_plays_unless_i_name_one() -> None:
    world = World()
    small = idle(world, "me", challenges=OWN_ONLY, max_matches=2)
    large = another(world, small, instance="large", max_matches=8)
    idle(world, "you", challenges=ACCEPT, max_matches=64)
    world.director.challenges.take(wanted(small, "you"), Follower())
    await world.turn(0.1)
    assert (small.offered, large.offered) == (0, 1)
    world.director.challenges.take(wanted(large, "you"), Follower())
    await world.turn(0.1)
    assert (small.offered, large.offered) == (0, 2)


async def test_a_copy_that_is_not_connected_is_named_in_the_refusal() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    world.arrive("you", challenges=ACCEPT)
    gone = Guest(world, me.registered, me.games, 1, instance="gone")
    with pytest.raises(ChallengeRefusedError, match=r"no copy of your bot .* instance 'gone'"):
        world.director.challenges.take(wanted(gone, "you"), Follower())


async def test_a_game_that_my_bot_does_not_play_is_refused() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY, games=["bloeff"])
    world.arrive("you", challenges=ACCEPT)
    with pytest.raises(ChallengeRefusedError, match="your bot does not play bluff: see `games`"):
        world.director.challenges.take(wanted(me, "you"), Follower())


async def test_bots_chosen_by_chance_are_others_than_those_named_and_take_challenges() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY, max_matches=8)
    you = world.arrive("you", challenges=ACCEPT, max_matches=8, habit=Habit.SILENT)
    another(world, you, version="2", max_matches=8)
    world.arrive("free", challenges=ACCEPT, habit=Habit.SILENT)
    run = world.director.challenges.take(wanted(me, "you", seats=3), Follower())
    assert {bot.name for bot in run.opponents} == {"you", "free"}
    # The only place of `free` is taken now, and one bot has one seat of a match.
    with pytest.raises(ChallengeRefusedError, match="1 more opponents are needed: too few"):
        world.director.challenges.take(wanted(me, "you", seats=3), Follower())


@pytest.mark.parametrize(("others", "more"), [(10, ""), (11, ", …")])
async def test_a_refusal_names_ten_others_in_their_order(others: int, more: str) -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    for number in reversed(range(others)):
        world.arrive(f"bot{number:02}", challenges=ACCEPT)
    with pytest.raises(ChallengeRefusedError) as refused:
        world.director.challenges.take(wanted(me, "nobody"), Follower())
    named = ", ".join(f"bot{number:02}" for number in range(10))
    assert str(refused.value).endswith(f" Those that do: {named}{more}.")


async def test_where_nobody_accepts_challenges_the_refusal_says_so() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    with pytest.raises(ChallengeRefusedError, match="No other bot accepts them now") as refused:
        world.director.challenges.take(wanted(me, "nobody" * 100), Follower())
    assert refused.value.why is ChallengeRefusal.NOT_NOW
    assert len(str(refused.value)) < 250


async def test_bots_that_accept_are_listed_with_how_many_further_ones_each_takes() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY, max_matches=8)
    you = world.arrive("you", challenges=ACCEPT, max_matches=8)
    world.arrive("shy")
    assert world.director.challenges.accepting() == [(you, 2)]
    world.director.challenges.take(wanted(me, "you"), Follower())
    assert world.director.challenges.accepting() == [(you, 1)]


async def test_bots_that_play_at_another_referee_alone_take_no_part_in_challenges() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    you = world.arrive("you", challenges=ACCEPT, max_matches=0)
    assert world.director.challenges.accepting() == []
    with pytest.raises(ChallengeRefusedError, match="No other bot accepts them now"):
        world.director.challenges.take(wanted(me, "you"), Follower())
    you.max_matches, me.max_matches = 1, 0
    with pytest.raises(ChallengeRefusedError, match="challenge at that one's address"):
        world.director.challenges.take(wanted(me, "you"), Follower())


async def test_bots_of_the_house_challenge_each_on_its_own_account() -> None:
    world = World()
    mine = [
        world.arrive(f"house-{n}", owner="house", house=True, challenges=OWN_ONLY, max_matches=64)
        for n in range(2)
    ]
    world.arrive("you", challenges=ACCEPT, max_matches=64)
    for challenger in mine:
        for _ in range(8):
            world.director.challenges.take(wanted(challenger, "you"), Follower())
    with pytest.raises(ChallengeRefusedError, match="you have 8 challenges already"):
        world.director.challenges.take(wanted(mine[0], "you"), Follower())


async def test_a_waiting_challenge_ends_as_soon_as_one_of_its_bots_leaves() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    idle(world, "busy", challenges=ACCEPT)
    you = world.arrive("you", challenges=ACCEPT)
    world.director.challenges.take(wanted(me, "busy"), Follower())
    waiting = Follower()
    world.director.challenges.take(wanted(me, "you"), waiting)
    await world.turn(1)
    assert waiting.end is None
    world.director.drain(you)
    await world.turn(0.1)
    assert waiting.end == (0, "you has left.")


async def test_the_ladder_leaves_a_place_free_that_a_challenge_waits_for() -> None:
    world = World(ladder())
    me = world.arrive("me", challenges=OWN_ONLY)
    for name in ("busy", "other"):
        idle(world, name, challenges=ACCEPT)
    await world.turn(1)  # they play each other for as long as the match lasts
    you = world.arrive("you", challenges=ACCEPT)
    world.director.challenges.take(wanted(me, "busy", "you", seats=3), Follower())
    third = world.arrive("third", challenges=ACCEPT)
    await world.turn(3)
    assert (me.offered, you.offered, third.offered) == (0, 0, 0)


async def test_a_challenge_whose_match_breaks_ends_with_the_reason() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    you = idle(world, "you", challenges=ACCEPT)
    follower = Follower()
    world.director.challenges.take(wanted(me, "you", matches=3), follower)
    await world.turn(0.5)
    host = you.players[-1].host
    assert host is not None
    host.break_off("a bug of ours")  # type: ignore[attr-defined]
    await world.turn(0.5)
    assert follower.end == (0, "A match was aborted because of an error of the referee.")


async def test_a_challenge_is_over_when_storage_has_refused_its_match() -> None:
    world = World()
    me = world.arrive("me", challenges=OWN_ONLY)
    world.arrive("you", challenges=ACCEPT)
    follower = Follower()

    async def refuse(matches: object, kept: object = ()) -> None:
        raise ValueError("contradicts what is recorded")

    world.recorder.record = refuse  # type: ignore[method-assign]
    version = me.registered.version_id
    world.director.challenges.take(Challenge(ladder(), version, "", ("you",), 1), follower)
    await world.turn(2)
    assert (follower.matches, follower.end) == ([], (1, ""))
