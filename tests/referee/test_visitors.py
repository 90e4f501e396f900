"""Limits by address are those of a dashboard's visitors, for a dashboard that knows the secret."""

from collections.abc import AsyncIterator, Callable
from typing import Any, TypeAlias

import grpc
import pytest

from arena.records import SignUp
from arena.referee import visitors
from arena.referee.limits import Limits
from arena.v1 import owner_pb2 as pb
from arena.v1 import upload_pb2
from arena.v1.owner_pb2_grpc import OwnerServiceStub
from arena.v1.upload_pb2_grpc import UploadServiceStub
from tests.referee.scene import opened
from tests.referee.test_owners import refused
from tests.referee.test_uploads import parts_of

Channel: TypeAlias = Any
"""A channel of grpc.aio, which the types of generated stubs do not know."""

SECRET = "the dashboard's secret"
FEW = Limits(refusal_seconds=0.0, sign_ups_burst=2, failures_burst=3, calls_burst=30)


def asking_for(visitor: str, secret: str = SECRET) -> Any:
    return ((visitors.SECRET, secret), (visitors.ADDRESS, visitor))


@pytest.fixture
async def channel(database: str) -> AsyncIterator[Channel]:
    async with (
        opened(database, limits=FEW, sign_up=SignUp.OPEN, dashboard_secret=SECRET) as scene,
        grpc.aio.insecure_channel(f"127.0.0.1:{scene.port}") as channel,
    ):
        yield channel


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
}
"""A call of each service that asks whose key it is, and the one that takes a stream."""


@pytest.mark.parametrize("call", CALLS)
async def test_a_visitor_who_guesses_keys_locks_out_nobody_else(
    call: str, channel: Channel
) -> None:
    def guess(visitor: str) -> Any:
        bearing = ("authorization", "Bearer arena_owner_guess")
        return CALLS[call](channel, (bearing, *asking_for(visitor)))

    told = [(await refused(guess("192.0.2.1")))[0] for _ in range(4)]
    assert told == ["UNAUTHENTICATED"] * 3 + ["RESOURCE_EXHAUSTED"]
    assert (await refused(guess("192.0.2.2")))[0] == "UNAUTHENTICATED"


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
    alone = ((visitors.ADDRESS, "192.0.2.7"),)
    for name in ("one", "two"):
        await stub.SignUp(pb.SignUpRequest(name=name), metadata=alone)
    call = stub.SignUp(pb.SignUpRequest(name="three"), metadata=alone)
    assert (await refused(call))[0] == "RESOURCE_EXHAUSTED"


@pytest.mark.parametrize("visitor", ["", "nobody", "192.0.2.1:80", "192.0.2"])
async def test_a_visitor_has_an_address(stub: Any, visitor: str) -> None:
    call = stub.GetSignUpTerms(pb.GetSignUpTermsRequest(), metadata=asking_for(visitor))
    assert (await refused(call))[0] == "INVALID_ARGUMENT"


async def test_where_no_secret_is_set_a_dashboard_is_one_visitor(database: str) -> None:
    async with (
        opened(database, limits=FEW, sign_up=SignUp.OPEN) as scene,
        grpc.aio.insecure_channel(f"127.0.0.1:{scene.port}") as channel,
    ):
        stub = OwnerServiceStub(channel)
        for number in range(2):
            await stub.SignUp(
                pb.SignUpRequest(name=f"n{number}"), metadata=asking_for(f"192.0.2.{number}")
            )
        call = stub.SignUp(pb.SignUpRequest(name="n3"), metadata=asking_for("192.0.2.3"))
        assert (await refused(call))[0] == "RESOURCE_EXHAUSTED"
