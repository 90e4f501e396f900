"""What a request for a challenge asks for, what is refused of it, and what its stream tells."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any, cast

import grpc
import pytest
from structlog.testing import capture_logs

from arena.errors import INTERNAL_ERROR
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.scheduling.ladder import Candidate
from arena.server.ladder.challenge_service import ChallengeService
from arena.server.ladder.challenges import (
    Challenge,
    ChallengeFollower,
    ChallengeRefusal,
    ChallengeRefusedError,
    ChallengeRun,
)
from arena.server.ladder.connected_bots import ConnectedBot, Reliability
from arena.server.limits.gate import Gate
from arena.server.play.ports import Participant
from arena.v1 import challenge_pb2 as pb
from arena.v1 import transcript_pb2
from tests.recorded_results import block, finished, match_id
from tests.server.ladder.arrivals import Guest, World
from tests.service_calls import Call, EndedError, Known, Meter, gate
from tests.waiting import until_async

ME = Registered(VersionId(7), Entrant("me", "1", "owner"), house=False)
WORLD = World()


def guest(version: int, name: str, label: str = "1", games: tuple[str, ...] = ("bluff",)) -> Guest:
    registered = Registered(VersionId(version), Entrant(name, label, f"owner of {name}"), False)
    return Guest(WORLD, registered, frozenset(games), 8)


def connected(version: int, name: str) -> ConnectedBot:
    participant = guest(version, name)
    candidate = Candidate(version, f"owner of {name}", False, participant.games)
    return ConnectedBot(participant, candidate, Reliability())


@dataclass
class Host:
    """A ChallengeBook that keeps what it is asked for."""

    refusal: Exception | None = None
    listed: list[tuple[Participant, int]] = field(default_factory=list)
    wanted: list[Challenge] = field(default_factory=list)
    followers: list[ChallengeFollower] = field(default_factory=list)

    def take(self, wanted: Challenge, follower: ChallengeFollower) -> ChallengeRun:
        if self.refusal is not None:
            raise self.refusal
        self.wanted.append(wanted)
        self.followers.append(follower)
        opponents = (connected(8, "you"), connected(9, "them"))
        return ChallengeRun(wanted, connected(7, "me"), opponents, block(), follower)

    def connected(self, owner: str, name: str) -> Registered | None:
        raise AssertionError(f"no test asks here for {name} of {owner}")

    def accepting(self) -> list[tuple[Participant, int]]:
        return self.listed


class Service:
    """The service, its host and its limits."""

    def __init__(self, **limits: Any) -> None:
        self.host, self.meter = Host(), Meter()
        self.gate: Gate = gate(self.meter, **limits)
        known, host = Known({"token": ME}), cast(Any, self.host)
        self.service = ChallengeService(known.authenticate, known, cast(Any, None), host, self.gate)

    async def asked(self, request: pb.ChallengeRequest) -> Challenge:
        """What the host is asked for."""
        call = Call()
        stream = self.stream(request, call)
        await until_async(lambda: self.host.followers or stream.done())
        self.host.followers.pop().over(0, "")
        await stream
        return self.host.wanted.pop()

    async def refused(self, request: pb.ChallengeRequest, token: str | None = "token") -> Call:
        call = Call(token)
        with pytest.raises(EndedError):
            await self.service.challenge(request, cast(Any, call))
        assert self.host.wanted == []
        return call

    def stream(self, request: pb.ChallengeRequest, call: Call) -> asyncio.Task[None]:
        return asyncio.create_task(self.service.challenge(request, cast(Any, call)))

    async def listed(self, **request: Any) -> list[tuple[str, str, int, list[str]]]:
        asked = pb.ListOpponentsRequest(**request)
        response = await self.service.list_opponents(asked, cast(Any, Call(None)))
        return [
            (one.entrant.bot, one.entrant.version, one.free, list(one.games))
            for one in response.opponents
        ]


def request(*opponents: str, **members: Any) -> pb.ChallengeRequest:
    return pb.ChallengeRequest(**({"game": "bluff", "opponents": opponents} | members))


def timed(turn_ms: int, bank_ms: int) -> pb.ChallengeRequest:
    return request(time_control=transcript_pb2.TimeControl(turn_ms=turn_ms, bank_ms=bank_ms))


async def test_what_is_left_out_has_a_default() -> None:
    wanted = await Service().asked(request())
    assert (wanted.challenger, wanted.opponents, wanted.matches) == (7, (), 1)
    assert wanted.table_type.seats == 2
    assert wanted.table_type.time_control == DEFAULT_TIME_CONTROL
    assert wanted.table_type.options.changed() == {}


@pytest.mark.parametrize(("named", "seats"), [(0, 2), (1, 2), (2, 3), (5, 6)])
async def test_a_table_has_a_seat_for_each_opponent_and_at_least_what_the_game_needs(
    named: int, seats: int
) -> None:
    wanted = await Service().asked(request(*"abcde"[:named]))
    assert wanted.table_type.seats == seats
    assert wanted.opponents == tuple("abcde"[:named])


async def test_what_is_given_is_what_is_played() -> None:
    options = '{"dice_per_player": 2}'
    asked = request("you", seats=3, matches=100, instance="left", options_json=options)
    wanted = await Service().asked(asked)
    assert (wanted.table_type.seats, wanted.matches, wanted.instance) == (3, 100, "left")
    assert wanted.table_type.options.changed() == {"dice_per_player": 2}


@pytest.mark.parametrize(("turn_ms", "bank_ms"), [(100, 0), (120_000, 600_000)])
async def test_a_time_control_within_its_bounds_is_played(turn_ms: int, bank_ms: int) -> None:
    wanted = await Service().asked(timed(turn_ms, bank_ms))
    assert wanted.table_type.time_control == TimeControl(turn_ms, bank_ms)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (timed(99, 0), "turn_ms is 99; allowed is 100 to 120000"),
        (timed(120_001, 0), "turn_ms is 120001; allowed is 100 to 120000"),
        (timed(100, -1), "bank_ms is -1; allowed is 0 to 600000"),
        (timed(100, 600_001), "bank_ms is 600001; allowed is 0 to 600000"),
        (request(matches=101), "a challenge has 1 to 100 matches, not 101"),
        (request(matches=-1), "a challenge has 1 to 100 matches, not -1"),
        (request(seats=1), "Bluff is played by 2 to 6 seats, not 1"),
        (request(seats=7), "Bluff is played by 2 to 6 seats, not 7"),
        (request("a", "b", seats=2), "2 opponents and yourself do not fit 2 seats"),
        (request(game="chess"), "the games are"),
    ],
    ids=str,
)
async def test_what_is_never_possible_is_refused_with_what_is(
    asked: pb.ChallengeRequest, words: str
) -> None:
    call = await Service().refused(asked)
    assert call.code is grpc.StatusCode.INVALID_ARGUMENT
    assert words in call.sentence


@pytest.mark.parametrize(
    ("why", "code", "retry"),
    [
        (ChallengeRefusal.IMPOSSIBLE, grpc.StatusCode.INVALID_ARGUMENT, None),
        (ChallengeRefusal.NOT_NOW, grpc.StatusCode.FAILED_PRECONDITION, None),
        (ChallengeRefusal.TOO_MANY, grpc.StatusCode.RESOURCE_EXHAUSTED, "5"),
    ],
)
async def test_what_is_not_possible_now_is_refused_by_its_own_status(
    why: ChallengeRefusal, code: grpc.StatusCode, retry: str | None
) -> None:
    service = Service()
    service.host.refusal = ChallengeRefusedError(why, "the reason")
    call = await service.refused(request())
    assert call.code is code
    assert call.sentence.startswith("the reason")
    assert call.metadata.get("retry-after") == retry
    assert service.meter.codes == [code.name]


async def test_a_bot_asks_so_often_and_one_without_a_token_not_at_all() -> None:
    service = Service(challenges_burst=2, challenges_per_second=0.001)
    assert (await service.refused(request(), "wrong")).code is grpc.StatusCode.UNAUTHENTICATED
    assert (await service.refused(request(), None)).code is grpc.StatusCode.UNAUTHENTICATED
    for _ in range(2):
        await service.asked(request())
    call = await service.refused(request())
    assert (call.code, call.sentence.partition(":")[0]) == (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "too many challenges",
    )


async def test_an_error_of_ours_reaches_the_operator_and_no_caller() -> None:
    service = Service()
    service.host.refusal = RuntimeError("the secret")
    with capture_logs() as log:
        call = await service.refused(request())
    assert (call.code, call.sentence) == (grpc.StatusCode.INTERNAL, INTERNAL_ERROR)
    assert [line["event"] for line in log if line["log_level"] == "error"] == ["call failed"]


async def test_its_stream_tells_who_plays_each_end_and_the_last_one() -> None:
    service, call = Service(), Call()
    stream = service.stream(timed(100, 200), call)
    await until_async(lambda: call.written)
    (follower,) = service.host.followers
    match = finished((VersionId(7), VersionId(8)))
    follower.recorded(match)
    follower.over(1, "A bot has left.")
    await stream
    first, second, last = call.written
    assert [one.bot for one in first.accepted.opponents] == ["you", "them"]
    assert (first.accepted.time_control.turn_ms, first.accepted.time_control.bank_ms) == (100, 200)
    assert first.accepted.challenge_id
    assert (second.match.match_id, second.match.game) == (match_id(match), "bluff")
    assert [one.bot for one in second.match.entrants] == ["bot0", "bot1"]
    assert list(second.match.placing) == [1, 2]
    assert second.match.finished_ms == int(match.finished_at.timestamp() * 1000)
    assert last.over == pb.ChallengeOver(played=1, reason="A bot has left.")
    assert call.code is None


async def test_when_the_referee_stops_open_calls_end_with_unavailable() -> None:
    service, call = Service(), Call()
    stream = service.stream(request(), call)
    await until_async(lambda: call.written)
    service.service.close()
    with pytest.raises(EndedError):
        await stream
    assert call.code is grpc.StatusCode.UNAVAILABLE
    assert "go on when it is back" in call.sentence
    # Nobody follows any more: nothing is put into a queue that nobody reads.
    assert service.service._followers == set()


async def test_opponents_are_listed_by_name_each_version_once_and_the_newest_first() -> None:
    service = Service()
    service.host.listed = [
        (guest(1, "b"), 1),
        (guest(2, "A", games=("bluff", "bloeff")), 0),
        (guest(3, "b", "2"), 2),
        (guest(1, "b"), 3),
        (guest(4, "c"), -2),
    ]
    assert await service.listed() == [
        ("A", "1", 0, ["bloeff", "bluff"]),
        ("b", "2", 2, ["bluff"]),
        ("b", "1", 4, ["bluff"]),
        ("c", "1", 0, ["bluff"]),
    ]
    assert [line[0] for line in await service.listed(game="bloeff")] == ["A"]


async def test_so_many_opponents_are_listed() -> None:
    service = Service()
    service.host.listed = [(guest(number, f"bot{number:04}"), 1) for number in range(1_001)]
    names = [line[0] for line in await service.listed()]
    assert names == [f"bot{number:04}" for number in range(1_000)]


async def test_who_lists_opponents_too_often_is_refused() -> None:
    service = Service(calls_burst=1, calls_per_second=0.001)
    await service.listed()
    call = Call(None)
    with pytest.raises(EndedError):
        await service.service.list_opponents(pb.ListOpponentsRequest(), cast(Any, call))
    assert call.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert service.meter.limits == ["calls"]


def test_bots_of_the_house_are_counted_each_by_itself() -> None:
    at = gate(challenges_burst=1, challenges_per_second=0.001)
    house = replace(ME, house=True)
    other = replace(house, entrant=Entrant("other", "1", "owner"))
    for one in (house, other, ME):
        at.challenge(one)
    same_owner = replace(ME, entrant=Entrant("mine too", "1", "owner"))
    for one in (house, other, ME, same_owner):
        with pytest.raises(Exception, match="too many challenges"):
            at.challenge(one)
