"""Calls to a service, over the wire and without a network: who calls, and how it ends."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest

from arena.records import Owner, Registered
from arena.server.limits.gate import Gate
from arena.server.limits.limits import Limits
from arena.server.requests.errors import ProtocolError

PEER = "ipv4:192.0.2.7:50123"


def own_channel(port: int | str) -> grpc.aio.Channel:
    """Return a channel with a connection of its own to this port, or to a gRPC target."""
    return grpc.aio.insecure_channel(
        port if isinstance(port, str) else f"127.0.0.1:{port}",
        options=[("grpc.use_local_subchannel_pool", 1)],
    )


def bearing(token: str) -> tuple[tuple[str, str], ...]:
    """The metadata of a call with this token or key."""
    return (("authorization", f"Bearer {token}"),)


async def refused(call: Awaitable[Any]) -> tuple[str, str]:
    """The name of the status with which a call is refused, and the details."""
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return error.value.code().name, error.value.details() or ""


class EndedError(Exception):
    """What gRPC raises in a call that was ended."""


@dataclass
class Call:
    """The context of a call."""

    token: str | None = "token"
    address: str = PEER
    written: list[Any] = field(default_factory=list)
    code: grpc.StatusCode | None = None
    sentence: str = ""
    metadata: dict[str, str] = field(default_factory=dict)

    def peer(self) -> str:
        return self.address

    def invocation_metadata(self) -> Sequence[tuple[str, str]]:
        return () if self.token is None else bearing(self.token)

    async def send_initial_metadata(self, _metadata: Sequence[tuple[str, str]]) -> None:
        pass

    async def write(self, message: Any) -> None:
        self.written.append(message)

    async def abort(
        self, code: grpc.StatusCode, sentence: str, metadata: Sequence[tuple[str, str]] = ()
    ) -> None:
        self.code, self.sentence, self.metadata = code, sentence, dict(metadata)
        raise EndedError


@dataclass
class Known:
    """An authentication that knows the tokens of bots, and no keys of owners."""

    bots: dict[str, Registered]

    async def authenticate(self, token: str) -> Registered:
        if token not in self.bots:
            raise ProtocolError(grpc.StatusCode.UNAUTHENTICATED, "no bot has this token")
        return self.bots[token]

    async def owner(self, key: str) -> Owner:
        raise ProtocolError(grpc.StatusCode.UNAUTHENTICATED, f"no owner has the key {key}")


@dataclass
class Meter:
    """Counts what is refused."""

    codes: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)

    def refused(self, code: str) -> None:
        self.codes.append(code)

    def limited(self, limit: str) -> None:
        self.limits.append(limit)


def gate(meter: Meter | None = None, **limits: Any) -> Gate:
    """Return a gate whose clock stands still, and which refuses calls without delay."""
    given = Limits(**({"refusal_seconds": 0} | limits))
    return Gate(given, meter or Meter(), lambda: 1_000.0)
