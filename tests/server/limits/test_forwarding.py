"""Limits by address are those of a dashboard's visitors, for a dashboard that knows the secret."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeAlias

import grpc
import pytest
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from arena.records import SignUp
from arena.server.limits import connections, forwarding
from arena.server.limits.limits import Limits
from arena.v1 import attendance_pb2, challenge_pb2, spectator_pb2, upload_pb2, worker_pb2
from arena.v1 import owner_pb2 as pb
from arena.v1.attendance_pb2_grpc import AttendanceServiceStub
from arena.v1.challenge_pb2_grpc import ChallengeServiceStub
from arena.v1.owner_pb2_grpc import OwnerServiceStub
from arena.v1.referee_pb2_grpc import RefereeServiceStub
from arena.v1.spectator_pb2_grpc import SpectatorServiceStub
from arena.v1.upload_pb2_grpc import UploadServiceStub
from arena.v1.worker_pb2_grpc import WorkerServiceStub
from tests.scene import opened
from tests.server.uploads.hosting import parts_of
from tests.service_calls import bearing, own_channel, refused

Channel: TypeAlias = Any
"""A channel of grpc.aio, which the types of generated stubs do not know."""

SECRET = "the dashboard's secret"
FEW = Limits(refusal_seconds=0.0, sign_ups_burst=2, failures_burst=3, calls_burst=30)


def asking_for(visitor: str, secret: str = SECRET) -> Any:
    return ((forwarding.SECRET, secret), (forwarding.ADDRESS, visitor))


@pytest.fixture
async def channel(database: str) -> AsyncIterator[Channel]:
    async with opened(database, limits=FEW, sign_up=SignUp.OPEN, dashboard_secret=SECRET) as scene:
        yield scene.channel


@pytest.fixture
def stub(channel: Channel) -> Any:
    return OwnerServiceStub(channel)


async def test_one_visitor_uses_up_what_is_the_visitors_alone(stub: Any) -> None:
    async def come(name: str, visitor: str) -> None:
        await stub.SignUp(pb.SignUpRequest(name=name), metadata=asking_for(visitor))

    await come("one", "192.0.2.1")
    await come("two", "192.0.2.1")
    call = stub.SignUp(pb.SignUpRequest(name="three"), metadata=asking_for("192.0.2.1"))
    code, words = await refused(call)
    assert (code, words[:40]) == ("RESOURCE_EXHAUSTED", "too many new owners from this address: c")
    await come("four", "192.0.2.2")
    # Of IPv6 a network of 64 bits is one visitor.
    await come("five", "2001:db8::1")
    await come("six", "2001:db8::2")
    call = stub.SignUp(pb.SignUpRequest(name="seven"), metadata=asking_for("2001:db8::3"))
    assert (await refused(call))[0] == "RESOURCE_EXHAUSTED"
    await come("eight", "2001:db8:0:1::1")


CALLS: dict[str, Callable[[Channel, Any], Any]] = {
    "GetOwner": lambda channel, given: OwnerServiceStub(channel).GetOwner(
        pb.GetOwnerRequest(), metadata=given
    ),
    "ListBuilds": lambda channel, given: UploadServiceStub(channel).ListBuilds(
        upload_pb2.ListBuildsRequest(), metadata=given
    ),
    "UploadBuild": lambda channel, given: UploadServiceStub(channel).UploadBuild(
        parts_of("mine", b"pass"), metadata=given
    ),
    "GetChallenge": lambda channel, given: ChallengeServiceStub(channel).GetChallenge(
        challenge_pb2.GetChallengeRequest(), metadata=given
    ),
    "BeginShift": lambda channel, given: WorkerServiceStub(channel).BeginShift(
        worker_pb2.BeginShiftRequest(), metadata=given
    ),
    "Play": lambda channel, given: RefereeServiceStub(channel).Play(metadata=given).read(),
    "Attend": lambda channel, given: (
        AttendanceServiceStub(channel).Attend(attendance_pb2.AttendRequest(), metadata=given).read()
    ),
    "Challenge": lambda channel, given: (
        ChallengeServiceStub(channel)
        .Challenge(challenge_pb2.ChallengeRequest(), metadata=given)
        .read()
    ),
}
"""Calls that ask whose key or token it is, each by a way of its own."""


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
async def test_a_visitor_who_guesses_keys_locks_out_nobody_else(
    call: str, channel: Channel
) -> None:
    def guess(visitor: str) -> Any:
        return CALLS[call](channel, (*bearing("arena_owner_guess"), *asking_for(visitor)))

    told = [(await refused(guess("192.0.2.1")))[0] for _ in range(4)]
    assert told == ["UNAUTHENTICATED"] * 3 + ["RESOURCE_EXHAUSTED"]
    assert (await refused(guess("192.0.2.2")))[0] == "UNAUTHENTICATED"


QUESTIONS: dict[str, Callable[[Channel, Any], Any]] = {
    "ListOpponents": lambda channel, given: ChallengeServiceStub(channel).ListOpponents(
        challenge_pb2.ListOpponentsRequest(), metadata=given
    ),
    "ServerReflectionInfo": lambda channel, given: (
        reflection_pb2_grpc.ServerReflectionStub(channel)
        .ServerReflectionInfo(
            iter([reflection_pb2.ServerReflectionRequest(list_services="")]), metadata=given
        )
        .read()
    ),
}
"""Calls without a key that count for an address."""


@pytest.mark.parametrize("question", QUESTIONS)
async def test_a_visitor_who_asks_too_much_is_refused_alone(
    question: str, channel: Channel
) -> None:
    ask = QUESTIONS[question]
    calls = (ask(channel, asking_for("192.0.2.1")) for _ in range(2 * FEW.calls_burst))
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert any("too many calls from this address" in str(answer) for answer in answers)
    await ask(channel, asking_for("192.0.2.2"))


@pytest.mark.slow
async def test_connections_of_visitors_are_not_cut_for_being_many(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy has one for each, all from its own address."""
    monkeypatch.setattr(connections, "ROUND_SECONDS", 0.1)
    known, real = asyncio.Event(), connections.Connections.known

    def seen(self: connections.Connections, peer: str, streams: int) -> None:
        real(self, peer, streams)
        if streams > 0:
            known.set()

    monkeypatch.setattr(connections.Connections, "known", seen)
    # A refused call makes its connection a stranger's: it is not to wait for its status.
    limits = Limits(connections_an_address=1, refusal_seconds=0.0)
    async with opened(database, limits=limits, dashboard_secret=SECRET) as scene:
        given = (*bearing(await scene.token("bob")), *asking_for("192.0.2.1"))
        streams: list[Any] = []
        for open_one in 2 * (
            lambda line: RefereeServiceStub(line).Play(metadata=given),
            lambda line: AttendanceServiceStub(line).Attend(
                attendance_pb2.AttendRequest(), metadata=given
            ),
            lambda line: reflection_pb2_grpc.ServerReflectionStub(line).ServerReflectionInfo(
                metadata=given
            ),
        ):
            # One is a stranger's until its first call is there, and no more are allowed.
            streams.append(open_one(own_channel(scene.port)))
            async with asyncio.timeout(30):
                await known.wait()
            known.clear()
        await asyncio.sleep(1)
        ended = [await stream.code() for stream in streams if stream.done()]
        assert grpc.StatusCode.UNAVAILABLE not in ended


async def test_a_stranger_is_believed_no_visitor(stub: Any) -> None:
    """Who could say another address at each call would have no limits."""
    for number in range(3):
        call = stub.SignUp(
            pb.SignUpRequest(name=f"n{number}"),
            metadata=asking_for(f"192.0.2.{number}", "a guessed secret"),
        )
        code, words = await refused(call)
        assert code == "UNAUTHENTICATED"
        assert "ARENA_DASHBOARD_SECRET" in words
    # A wrong secret counts as a wrong key of the stranger's own address.
    call = stub.GetSignUpTerms(
        pb.GetSignUpTermsRequest(), metadata=asking_for("192.0.2.9", "a guessed secret")
    )
    assert (await refused(call))[0] == "RESOURCE_EXHAUSTED"
    # Without a secret what is said of visitors is nothing.
    alone = ((forwarding.ADDRESS, "192.0.2.7"),)
    for name in ("one", "two"):
        await stub.SignUp(pb.SignUpRequest(name=name), metadata=alone)
    call = stub.SignUp(pb.SignUpRequest(name="three"), metadata=alone)
    assert (await refused(call))[0] == "RESOURCE_EXHAUSTED"


@pytest.mark.parametrize("visitor", ["", "nobody", "192.0.2.1:80", "192.0.2"])
async def test_a_visitor_has_an_address(stub: Any, visitor: str) -> None:
    call = stub.GetSignUpTerms(pb.GetSignUpTermsRequest(), metadata=asking_for(visitor))
    assert (await refused(call))[0] == "INVALID_ARGUMENT"


async def test_where_no_secret_is_set_a_dashboard_is_one_visitor(database: str) -> None:
    async with opened(database, limits=FEW, sign_up=SignUp.OPEN) as scene:
        stub = OwnerServiceStub(scene.channel)
        for number in range(2):
            await stub.SignUp(
                pb.SignUpRequest(name=f"n{number}"), metadata=asking_for(f"192.0.2.{number}")
            )
        call = stub.SignUp(pb.SignUpRequest(name="n3"), metadata=asking_for("192.0.2.3"))
        assert (await refused(call))[0] == "RESOURCE_EXHAUSTED"


async def test_spectators_of_an_address_take_no_place_of_its_dashboard(database: str) -> None:
    limits = Limits(refusal_seconds=0.0, watching_an_address=2, watching=2)
    own = ((forwarding.SECRET, SECRET),)
    async with opened(database, limits=limits, dashboard_secret=SECRET) as scene:
        stub: Any = SpectatorServiceStub(scene.channel)

        def watch(metadata: Any = ()) -> Any:
            return stub.Watch(spectator_pb2.WatchRequest(), metadata=metadata)

        for metadata in ((), own):
            watching = [watch(metadata) for _ in range(2)]
            for stream in watching:
                await stream.read()
            one_more = watch(metadata)
            assert await refused(one_more.read()) == (
                "RESOURCE_EXHAUSTED",
                "too many spectators: come back in 10 s",
            )
            # They stay open while the others come.
            scene.log += watching
        guessed = watch(((forwarding.SECRET, "another secret"),))
        assert (await refused(guessed.read()))[0] == "UNAUTHENTICATED"
