"""Challenges over the wire: who may ask for what, what is told, and what stays untouched."""

import asyncio
import contextlib
import time
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import grpc
import pytest
from structlog.testing import capture_logs

from arena.records import Owner, Registered
from arena.server.app.metrics import Metrics
from arena.server.boards import ladder_statements
from arena.server.ladder.challenge_service import ChallengeService
from arena.server.limits.gate import Gate
from arena.server.limits.limits import Limits
from arena.server.play.ports import ChallengePolicy, Participant
from arena.v1 import challenge_pb2 as pb
from arena.v1 import referee_pb2, transcript_pb2
from arena.v1.challenge_pb2_grpc import ChallengeServiceStub
from tests.bots import PATIENCE, Peer
from tests.scene import Scene, good_pair, opened, playing
from tests.server.ladder.arrivals import World
from tests.service_calls import bearing, refused

ACCEPT = referee_pb2.CHALLENGE_POLICY_ACCEPT
OWN_ONLY = referee_pb2.CHALLENGE_POLICY_OWN_ONLY
CLOCKS = transcript_pb2.TimeControl(turn_ms=60_000, bank_ms=120_000)


@pytest.fixture
def challenges(scene: Scene) -> Any:
    return ChallengeServiceStub(scene.channel)


async def told(call: Any) -> list[pb.ChallengeResponse]:
    async with asyncio.timeout(PATIENCE):
        return [update async for update in call]


async def me(scene: Scene, **hello: Any) -> Peer:
    return await scene.peer("me", challenges=OWN_ONLY, **hello)


async def you(scene: Scene, name: str = "you", **hello: Any) -> Peer:
    return await scene.peer(name, challenges=ACCEPT, max_matches=8, **hello)


def request(*opponents: str, **members: Any) -> pb.ChallengeRequest:
    return pb.ChallengeRequest(**({"game": "bluff", "opponents": opponents} | members))


async def test_a_challenge_is_played_told_and_recorded_without_a_rating(
    scene: Scene, challenges: Any
) -> None:
    async with playing([await me(scene), await you(scene)]) as company:
        await company.arrived()
        asked = request("YOU", matches=3, options_json='{"dice_per_player": 1}')
        asked.time_control.CopyFrom(CLOCKS)
        updates = await told(challenges.Challenge(asked, metadata=bearing(await scene.token("me"))))
    first, *matches, last = updates
    assert [entrant.bot for entrant in first.accepted.opponents] == ["you"]
    assert first.accepted.time_control == CLOCKS
    assert last.over == pb.ChallengeOver(played=3)
    rows = [await scene.recorded(update.match.match_id) for update in matches]
    assert len(rows) == 3
    for row, update in zip(rows, matches, strict=True):
        assert [e.bot for e in update.match.entrants] == [seat.bot for seat in row.seats]
        assert list(update.match.placing) == [seat.placing for seat in row.seats]
        assert (row.rated, row.voided, row.casual) == (False, False, True)
        assert (row.block_id, row.options) == (first.accepted.challenge_id, {"dice_per_player": 1})
    assert [row.position for row in rows] == [0, 1, 2]
    assert scene.arena.read(ladder_statements.log_end())[0].sequence == 0
    store = scene.arena.store
    assert await store.newest_placings() == []


@pytest.mark.slow
async def test_rated_matches_go_on_and_are_not_casual(scene: Scene, challenges: Any) -> None:
    async with playing([await you(scene, "one"), await you(scene, "two")]) as pair:
        await pair.go_on(4)
        metadata = bearing(await scene.token("one"))
        asked = request("two", options_json='{"dice_per_player": 3}')
        await told(challenges.Challenge(asked, metadata=metadata))
        await pair.go_on(4)
    rows = await scene.results("one")
    assert sum(row.casual for row in rows) == 1
    assert any(row.rated for row in rows)
    assert not any(row.rated and row.casual for row in rows)
    ladders = scene.arena.read(ladder_statements.ladders())
    counted = [*ladders, *await scene.arena.store.newest_placings()]
    assert {count.options["dice_per_player"] for count in counted} == {2}


async def test_what_cannot_be_played_is_refused_with_what_is_possible(
    scene: Scene, challenges: Any
) -> None:
    token = await scene.token("me")
    said, why = await refused(told(challenges.Challenge(request("you"), metadata=bearing(token))))
    assert (said, why) == (
        "FAILED_PRECONDITION",
        "your bot is not connected: start it, with this token, and challenge again",
    )
    shy = await scene.peer("shy")
    async with playing([await me(scene), await you(scene), shy]) as company:
        await company.arrived()
        cases: list[tuple[pb.ChallengeRequest, str | None, str, str]] = [
            (request("you"), None, "UNAUTHENTICATED", "no token"),
            (request("you"), "wrong", "UNAUTHENTICATED", "no bot has this token"),
            (request("you", game="chess"), token, "INVALID_ARGUMENT", "the games are bluff"),
            (request("you", seats=7), token, "INVALID_ARGUMENT", "2 to 6 seats, not 7"),
            (request("you", "a", seats=2), token, "INVALID_ARGUMENT", "do not fit 2 seats"),
            (request("you", matches=101), token, "INVALID_ARGUMENT", "1 to 100 matches"),
            (request("you", matches=-1), token, "INVALID_ARGUMENT", "1 to 100 matches"),
            (request("you", options_json="{"), token, "INVALID_ARGUMENT", "is not JSON"),
            (request("you", options_json="[" * 20_000), token, "INVALID_ARGUMENT", "not JSON"),
            (request("you", options_json="[" * 20_001), token, "INVALID_ARGUMENT", "at most"),
            (request("you", options_json="[]"), token, "INVALID_ARGUMENT", "JSON object"),
            (request("you", options_json='{"x": 1}'), token, "INVALID_ARGUMENT", "no option"),
            (
                request("you", time_control=transcript_pb2.TimeControl(turn_ms=99)),
                token,
                "INVALID_ARGUMENT",
                "turn_ms is 99; allowed is 100 to 120000",
            ),
            (
                request("you", time_control=transcript_pb2.TimeControl(turn_ms=100, bank_ms=-1)),
                token,
                "INVALID_ARGUMENT",
                "bank_ms is -1; allowed is 0 to 600000",
            ),
            (request("you", instance="x"), token, "FAILED_PRECONDITION", "instance 'x'"),
            (
                request("you", instance="x" * 10_000),
                token,
                "FAILED_PRECONDITION",
                f"instance '{'x' * 40}'",
            ),
            (
                request("you", game="bluff_you", options_json='{"no_win_limit": 1000}'),
                token,
                "INVALID_ARGUMENT",
                "actions; a challenge's takes at most 30000",
            ),
            (request("shy"), token, "FAILED_PRECONDITION", "Those that do: you."),
            (request("me"), token, "INVALID_ARGUMENT", "a bot cannot challenge itself"),
            (request(seats=4), token, "FAILED_PRECONDITION", "2 more opponents"),
        ]
        for asked, bearer, expected, words in cases:
            metadata = None if bearer is None else bearing(bearer)
            said, why = await refused(told(challenges.Challenge(asked, metadata=metadata)))
            assert (said, words in why) == (expected, True), (asked, said, why)
    assert await scene.results("me") == []


async def test_an_address_challenges_only_so_often_before_the_database_is_asked(
    database: str,
) -> None:
    limits = Limits(calls_burst=1, refusal_seconds=0.01)
    async with opened(database, limits=limits) as scene:
        stub = ChallengeServiceStub(scene.channel)
        metadata = bearing(await scene.token("me"))
        said, _ = await refused(told(stub.Challenge(request("you"), metadata=metadata)))
        assert said == "FAILED_PRECONDITION"
        for bearer in (metadata, bearing("wrong")):
            said, why = await refused(told(stub.Challenge(request("you"), metadata=bearer)))
            assert said == "RESOURCE_EXHAUSTED"
            assert "too many calls from this address" in why


class _GoneCaller:
    """The context of a call whose caller has closed the connection."""

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", "Bearer token"),)

    def peer(self) -> str:
        return "ipv4:127.0.0.1:1"

    async def write(self, _message: object) -> None:
        raise grpc.aio.InternalError("the call is over")


@dataclass
class _Everybody:
    """The tokens of an arena in which all are of one bot."""

    registered: Registered | None = None

    async def authenticate(self, _token: str) -> Registered:
        assert self.registered is not None
        return self.registered

    async def owner(self, _key: str) -> Owner:
        raise AssertionError("no test here has a key")


def _service(registered: Registered | None, *rest: Any) -> ChallengeService:
    async def find(_challenge_id: str) -> None:
        return None

    everybody = _Everybody(registered)
    return ChallengeService(everybody.authenticate, everybody, find, *rest)


async def test_a_caller_that_is_gone_leaves_no_error_in_the_log() -> None:
    world = World()
    asking = world.arrive("me", challenges=ChallengePolicy.OWN_ONLY)
    world.arrive("you", challenges=ChallengePolicy.ACCEPT)
    gate = Gate(Limits(), Metrics(), time.monotonic)
    service = _service(asking.registered, world.director.challenges, gate)
    with capture_logs() as log:
        await service.challenge(request("you"), _GoneCaller())  # type: ignore[arg-type]
    assert log == []
    await world.turn(2)
    assert len(world.matches) == 1


@pytest.mark.slow
async def test_an_opponent_that_takes_no_more_challenges_is_told_with_when_to_try_again(
    scene: Scene, challenges: Any
) -> None:
    # Nobody answers: the challenges wait for places, or for their bots.
    async with await me(scene, max_matches=64) as asking, await you(scene) as asked:
        await asking.greet()
        await asked.greet()
        metadata = bearing(await scene.token("me"))
        calls = [challenges.Challenge(request("you"), metadata=metadata) for _ in range(2)]
        for call in calls:
            assert (await call.read()).HasField("accepted")
        call = challenges.Challenge(request("you"), metadata=metadata)
        said, why = await refused(told(call))
        assert said == "RESOURCE_EXHAUSTED"
        assert why.startswith("you has reached its limit of challenges at once")
        assert dict(await call.trailing_metadata())["retry-after"]
        listed = await challenges.ListOpponents(pb.ListOpponentsRequest())
        assert [line.free for line in listed.opponents] == [0]


async def test_an_owner_challenges_by_the_key_with_its_connected_bots_alone(
    scene: Scene, challenges: Any
) -> None:
    keys = {owner: bearing(await scene.key(owner)) for owner in ("ann", "bob")}
    await scene.token("hers", owner="ann")
    hers = await scene.peer("hers", challenges=OWN_ONLY)
    async with playing([hers, await you(scene)]) as company:
        await company.arrived()
        for owner, bot, why in (
            ("bob", "hers", "you have no connected bot named 'hers'"),
            ("ann", "you", "you have no connected bot named 'you'"),
            ("ann", "hers:2", "you have no connected bot named 'hers:2'"),
        ):
            call = challenges.Challenge(request("you", bot=bot), metadata=keys[owner])
            status, said = await refused(told(call))
            assert (status, why in said) == ("FAILED_PRECONDITION", True)
        stranger = bearing("arena_owner_nobodys")
        call = challenges.Challenge(request("you", bot="hers"), metadata=stranger)
        assert (await refused(told(call)))[0] == "UNAUTHENTICATED"
        call = challenges.Challenge(request("you", bot="hers:1", matches=2), metadata=keys["ann"])
        updates = await told(call)
        assert [one.WhichOneof("update") for one in updates] == ["accepted", *["match"] * 2, "over"]


async def test_bots_that_accept_are_listed_by_game(scene: Scene, challenges: Any) -> None:
    async with contextlib.AsyncExitStack() as stack:
        for peer in (
            await you(scene, "b"),
            await you(scene, "a", games=["bluff", "bloeff"]),
            await scene.peer("shy"),
            await me(scene),
        ):
            await (await stack.enter_async_context(peer)).greet()
        listed = await challenges.ListOpponents(pb.ListOpponentsRequest())
        assert [(o.entrant.bot, list(o.games), o.free) for o in listed.opponents] == [
            ("a", ["bloeff", "bluff"], 2),
            ("b", ["bluff"], 2),
        ]
        listed = await challenges.ListOpponents(pb.ListOpponentsRequest(game="bloeff"))
        assert [line.entrant.bot for line in listed.opponents] == ["a"]


async def test_bots_are_listed_anew_only_once_a_second_however_many_ask() -> None:
    world = World()
    world.arrive("you", challenges=ChallengePolicy.ACCEPT)
    challenges, looks = world.director.challenges, []

    class Host:
        take = challenges.take

        def accepting(self) -> list[tuple[Participant, int]]:
            looks.append(world.timer.now())
            return challenges.accepting()

    gate = Gate(Limits(), Metrics(), time.monotonic)
    service = _service(None, Host(), gate, world.timer.now)

    async def listed(game: str) -> list[str]:
        asked = pb.ListOpponentsRequest(game=game)
        answer = await service.list_opponents(asked, _GoneCaller())  # type: ignore[arg-type]
        return [line.entrant.bot for line in answer.opponents]

    began = world.timer.now()
    for _ in range(5):
        assert await listed("bluff") == await listed("") == ["you"]
        assert await listed("bloeff") == await listed("chess") == []
    world.arrive("they", challenges=ChallengePolicy.ACCEPT)
    world.timer.turn(1)
    assert await listed("bluff") == ["they", "you"]
    assert looks == [began, began, began, began + 1]


async def test_opponents_are_not_told_to_the_others_before_all_have_joined(
    scene: Scene, challenges: Any
) -> None:
    async with await me(scene) as asking, await you(scene) as asked:
        await asking.greet()
        await asked.greet()
        call = challenges.Challenge(request("you"), metadata=bearing(await scene.token("me")))
        await call.read()
        message = await asked.hear_until(lambda heard: heard.offers)
        names = [entrant.bot for entrant in message.offers[0].entrants]
        assert sorted(names) == ["", "you"]


async def test_who_plays_only_its_own_challenges_is_offered_nothing_else(
    scene: Scene, challenges: Any
) -> None:
    async with await me(scene) as asking:
        await asking.greet()
        async with good_pair(scene) as pair:
            await pair.go_on()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await asking.hear_until(lambda heard: heard.offers)


async def test_a_challenge_outlives_a_restart_of_the_referee(
    database: str, quiet: list[Any]
) -> None:
    async with (
        opened(database) as first,
        await me(first) as asking,
        await you(first) as asked,
    ):
        stub = ChallengeServiceStub(first.channel)
        await asking.greet()
        await asked.greet()
        wanted = request("you", time_control=CLOCKS)
        call = stub.Challenge(wanted, metadata=bearing(await first.token("me")))
        accepted = (await anext(aiter(call))).accepted
        for peer in (asking, asked):
            await peer.join(await peer.hear_until(lambda heard: heard.offers))
        await asking.hear_until(lambda heard: heard.begins)
        # One of them is asked its first turn now, and does not answer.
        await first.arena.hand_over()
        said, why = await refused(told(call))
        assert (said, "go on" in why) == ("UNAVAILABLE", True)
    async with opened(database) as second:
        stub = ChallengeServiceStub(second.channel)
        again = [
            Peer(second.port, first.tokens["me"], challenges=OWN_ONLY),
            Peer(second.port, first.tokens["you"], challenges=ACCEPT, max_matches=8),
        ]
        asking_for = pb.GetChallengeRequest(challenge_id=accepted.challenge_id)
        bearings = bearing(first.tokens["me"])
        before = await stub.GetChallenge(asking_for, metadata=bearings)
        assert (list(before.matches), before.wanted, before.over) == ([], 1, False)
        async with playing(again) as company:
            await company.go_on(1)
        (row,) = await second.results("me")
        after = await stub.GetChallenge(asking_for, metadata=bearings)
        assert (after.matches[0].match_id, after.wanted, after.over) == (row.match_id, 1, True)
        assert list(after.matches[0].placing) == [seat.placing for seat in row.seats]
        assert [one.bot for one in after.matches[0].entrants] == [seat.bot for seat in row.seats]
        assert (row.casual, row.rated, row.block_id) == (True, False, accepted.challenge_id)
        transcript = await second.arena.store.transcript(row.match_id)
        assert transcript is not None
        assert transcript.setup.time_control.turn_ms == CLOCKS.turn_ms
        assert transcript.result.faults == (0, 0)


async def test_a_challenge_is_told_to_those_who_play_in_it_and_to_nobody_else(
    scene: Scene, challenges: Any
) -> None:
    async with playing([await me(scene), await you(scene)]) as company:
        await company.arrived()
        asked = request("you", matches=2, options_json='{"dice_per_player": 1}')
        updates = await told(challenges.Challenge(asked, metadata=bearing(await scene.token("me"))))
    accepted, *matches, _ = updates
    asking_for = pb.GetChallengeRequest(challenge_id=accepted.accepted.challenge_id)
    for bot in ("me", "you"):
        found = await challenges.GetChallenge(asking_for, metadata=bearing(await scene.token(bot)))
        assert list(found.matches) == [update.match for update in matches]
        assert (found.wanted, found.over) == (2, True)
    for bot, challenge_id, code in (
        ("somebody", asking_for.challenge_id, "NOT_FOUND"),
        ("me", str(uuid4()), "NOT_FOUND"),
        ("me", "1", "INVALID_ARGUMENT"),
    ):
        call = challenges.GetChallenge(
            pb.GetChallengeRequest(challenge_id=challenge_id),
            metadata=bearing(await scene.token(bot)),
        )
        assert (await refused(call))[0] == code
    assert (await refused(challenges.GetChallenge(asking_for)))[0] == "UNAUTHENTICATED"
