"""Calls whose bytes are no request end before they reach their service; others are passed on."""

from types import SimpleNamespace
from typing import Any, cast

import grpc
import pytest

from arena.server.limits.guarding import bearer_token
from arena.server.requests.errors import ProtocolError
from arena.server.requests.malformed_calls import RefuseMalformed
from arena.v1 import registry_pb2 as pb
from tests.service_calls import Call, EndedError

DETAILS = cast(Any, SimpleNamespace(method="/arena.v1.RegistryService/GetSigningKey"))


async def intercepted(handler: Any) -> Any:
    async def continuation(_: object) -> Any:
        return handler

    return await RefuseMalformed().intercept_service(continuation, DETAILS)


def handler(*, streams: bool) -> Any:
    """Answers with the name that it was asked for."""

    async def answer(request: pb.RegisterBotRequest, _: object) -> str:
        return request.bot

    given = {
        "request_deserializer": pb.RegisterBotRequest.FromString,
        "response_serializer": str.encode,
    }
    make: Any = grpc.unary_unary_rpc_method_handler
    if streams:
        make = grpc.unary_stream_rpc_method_handler
    return make(answer, **given)


@pytest.mark.parametrize("streams", [False, True])
async def test_bytes_that_are_a_request_reach_the_service(streams: bool) -> None:
    found = await intercepted(handler(streams=streams))
    assert (found.unary_unary is None, found.unary_stream is None) == (streams, not streams)
    assert found.request_deserializer is None
    assert found.response_serializer is str.encode
    call = found.unary_stream if streams else found.unary_unary
    assert await call(pb.RegisterBotRequest(bot="fox").SerializeToString(), Call()) == "fox"


async def test_bytes_that_are_none_are_refused_by_the_name_of_the_call() -> None:
    found, call = await intercepted(handler(streams=False)), Call()
    with pytest.raises(EndedError):
        await found.unary_unary(b"\xff", call)
    assert call.code is grpc.StatusCode.INVALID_ARGUMENT
    assert call.sentence == f"these bytes are not the request of {DETAILS.method}"


async def test_calls_that_read_their_own_bytes_and_unknown_ones_are_left_alone() -> None:
    own = grpc.unary_unary_rpc_method_handler(lambda data, _: data)
    assert await intercepted(own) is own
    assert await intercepted(None) is None


@pytest.mark.parametrize(
    "metadata",
    [
        (),
        (("authorization", "Bearer"),),
        (("authorization", "Bearer  "),),
        (("authorization", "Basic token"),),
        (("authorization", "token"),),
        (("authorization-bin", b"Bearer token"),),
        (("authorization", b"Bearer token"),),
    ],
    ids=str,
)
def test_without_a_bearer_token_a_call_is_told_how_to_send_one(metadata: Any) -> None:
    context = cast(Any, SimpleNamespace(invocation_metadata=lambda: metadata))
    with pytest.raises(ProtocolError, match="no token was sent") as refused:
        bearer_token(context)
    assert refused.value.code is grpc.StatusCode.UNAUTHENTICATED


def test_the_token_is_what_follows_bearer() -> None:
    sent = (("user-agent", "x"), ("authorization", "Basic x"), ("authorization", "Bearer  abc "))
    context = cast(Any, SimpleNamespace(invocation_metadata=lambda: sent))
    assert bearer_token(context) == "abc"
    nothing = cast(Any, SimpleNamespace(invocation_metadata=lambda: None))
    with pytest.raises(ProtocolError):
        bearer_token(nothing)
