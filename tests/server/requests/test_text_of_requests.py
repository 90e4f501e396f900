"""No string of any call may hold what the database cannot store: the caller is told which does."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from arena.builds.hosted import HostingTerms
from arena.server.limits.limits import Limits
from arena.server.requests.errors import ProtocolError
from arena.server.requests.parsing import parsed
from arena.v1 import (
    attendance_pb2,
    challenge_pb2,
    event_pb2,
    organiser_pb2,
    owner_pb2,
    referee_pb2,
    registry_pb2,
    spectator_pb2,
    upload_pb2,
    webhook_pb2,
    worker_pb2,
)
from tests.scene import Scene, opened
from tests.service_calls import bearing, refused

MODULES = (
    attendance_pb2,
    challenge_pb2,
    event_pb2,
    organiser_pb2,
    owner_pb2,
    referee_pb2,
    registry_pb2,
    spectator_pb2,
    upload_pb2,
    webhook_pb2,
    worker_pb2,
)
GENEROUS = Limits(calls_burst=10_000, registrations_burst=10_000, refusal_seconds=0.0)


def methods() -> dict[str, MethodDescriptor]:
    """All calls of arena.v1, by the path at which they are made."""
    return {
        f"/{service.full_name}/{method.name}": method
        for module in MODULES
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }


def strings(kind: Descriptor) -> Iterator[tuple[FieldDescriptor, ...]]:
    """The ways to all strings of a message, each as the fields on it."""
    for field in kind.fields:
        if field.type == FieldDescriptor.TYPE_STRING:
            yield (field,)
        elif field.message_type is not None:
            for rest in strings(field.message_type):
                yield (field, *rest)


def holding(kind: Descriptor, way: tuple[FieldDescriptor, ...], text: str) -> Message:
    """A message with a text at the end of a way."""
    message = inner = GetMessageClass(kind)()
    for field in way[:-1]:
        value = getattr(inner, field.name)
        inner = value.add() if hasattr(value, "add") else value
    last = way[-1].name
    value = getattr(inner, last)
    if isinstance(value, str):
        setattr(inner, last, text)
    else:
        value.append(text)
    return message


STRINGS = [
    pytest.param(path, way, id=f"{method.name}-{'.'.join(one.name for one in way)}")
    for path, method in methods().items()
    for way in strings(method.input_type)
]


@pytest.fixture
async def hosting(database: str, quiet: list[Any]) -> AsyncIterator[Scene]:
    async with opened(database, hosting=HostingTerms(), limits=GENEROUS) as scene:
        scene.log = quiet
        yield scene


async def ending(channel: Any, path: str, data: bytes, token: str) -> tuple[str, str]:
    """How a call with these bytes as its first message ends."""
    method = methods()[path]
    asks = "stream" if method.client_streaming else "unary"
    answers = "stream" if method.server_streaming else "unary"
    making = getattr(channel, f"{asks}_{answers}")(path)
    call = making(iter([data]) if method.client_streaming else data, metadata=bearing(token))
    return await refused(call.read() if method.server_streaming else call)


async def test_a_nul_in_any_string_of_any_call_is_refused_with_the_name_of_the_field(
    hosting: Scene,
) -> None:
    assert len(STRINGS) > 40
    worker = await hosting.arena.store.workers.add("w", "me")
    tokens = {"UploadBuild": await hosting.key("me"), "EndFinalBlock": worker}
    bot = await hosting.token("mine", "me")
    for case in STRINGS:
        path, way = case.values
        method = methods()[path]
        data = holding(method.input_type, way, "a\0b").SerializeToString()
        token = tokens.get(method.name, bot)
        field = ".".join(one.name for one in way)
        assert (case.id, *await ending(hosting.channel, path, data, token)) == (
            case.id,
            "INVALID_ARGUMENT",
            f"`{field}` holds a NUL character (U+0000)",
        )
    assert [line for line in hosting.log if line["log_level"] not in ("info", "debug")] == []


@pytest.mark.parametrize(("path", "way"), STRINGS)
def test_lone_surrogates_are_no_text(path: str, way: tuple[FieldDescriptor, ...]) -> None:
    kind = methods()[path].input_type
    data = holding(kind, way, "***").SerializeToString()
    with pytest.raises(ProtocolError, match=f"these bytes are no {kind.full_name}"):
        parsed(GetMessageClass(kind), data.replace(b"***", b"\xed\xa0\x80"))


@pytest.mark.parametrize(("path", "way"), STRINGS)
def test_other_text_passes_beside_bytes_and_numbers_of_zeros(
    path: str, way: tuple[FieldDescriptor, ...]
) -> None:
    kind = methods()[path].input_type
    # An unknown field of bytes that are no text.
    data = holding(kind, way, "ä\x01🦊").SerializeToString() + b"\xfa\x7f\x02\0\0"
    assert parsed(GetMessageClass(kind), data).SerializeToString() == data
