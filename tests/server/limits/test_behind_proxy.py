"""A referee behind the proxy of deploy/haproxy gets well-formed calls, each with its address."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.clients.spectating import RefereeAwayError, Watching
from arena.records import SignUp
from arena.server.limits import forwarding
from arena.server.limits.limits import Limits
from arena.v1 import owner_pb2, registry_pb2
from arena.v1.owner_pb2_grpc import OwnerServiceStub
from arena.v1.registry_pb2_grpc import RegistryServiceStub
from benchmarks.referee_load.frames import FIRST_STREAM, FLOODS, PREFACE, oversized_call
from tests import haproxy
from tests.bots import PATIENCE
from tests.fault_proxy import FaultProxy
from tests.scene import Scene, good_pair, opened
from tests.server.limits.test_odd_calls import until_cut
from tests.service_calls import own_channel, refused

SECRET = "the proxy's secret"
FEW = Limits(refusal_seconds=0.0, sign_ups_burst=2, sign_ups_per_second=0.001, calls_burst=10_000)


@asynccontextmanager
async def behind_proxy(database: str, folder: Path) -> AsyncIterator[tuple[Scene, int]]:
    """A referee, and the port of the proxy in front of it."""
    haproxy.require_haproxy()
    proxy = haproxy.Proxy()
    async with opened(database, limits=FEW, sign_up=SignUp.OPEN, dashboard_secret=SECRET) as scene:
        with proxy.running([scene.port], folder, secret=SECRET):
            yield scene, proxy.port


async def test_bots_play_by_the_proxy(database: str, tmp_path: Path) -> None:
    async with behind_proxy(database, tmp_path) as (scene, port), good_pair(scene, port):
        pass


async def slowest_answer(port: int, attack: Any) -> float:
    """The longest time that a caller at this port waits while the attack runs in a thread."""
    async with own_channel(port) as line:
        stub: Any = RegistryServiceStub(line)
        slowest = 0.0
        attacking = asyncio.create_task(asyncio.to_thread(attack))
        while True:
            over = attacking.done()
            begun = time.monotonic()
            await stub.GetSigningKey(registry_pb2.GetSigningKeyRequest())
            slowest = max(slowest, time.monotonic() - begun)
            if over:
                await attacking
                return slowest


@pytest.mark.slow
async def test_metadata_without_end_stops_at_the_proxy(database: str, tmp_path: Path) -> None:
    """By itself gRPC makes text of every line, in the event loop."""
    call = oversized_call(FIRST_STREAM, 400_000)
    async with behind_proxy(database, tmp_path) as (scene, port):
        waits = [
            await slowest_answer(asked, partial(until_cut, asked, call))
            for asked in (scene.port, port)
        ]
    print(f"the slowest answer: {waits[0]:.3f} s at the referee, {waits[1]:.3f} s at the proxy")
    assert waits[1] < waits[0] / 2


async def sign_up(port: int, name: str, metadata: Any = ()) -> None:
    async with own_channel(port) as line:
        stub: Any = OwnerServiceStub(line)
        await stub.SignUp(owner_pb2.SignUpRequest(name=name), metadata=metadata)


class LostCall(grpc.RpcError):
    """A stream that the proxy ends, as it lost the referee."""

    def __iter__(self) -> Iterator[Any]:
        raise self

    def cancelled(self) -> bool:
        return False

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.CANCELLED


def test_who_watches_is_told_that_the_proxy_lost_the_referee() -> None:
    with pytest.raises(RefereeAwayError):
        list(Watching(LostCall(), lambda _: RefereeAwayError("gone")))


async def test_nobody_speaks_for_another_address_through_the_proxy(
    database: str, tmp_path: Path
) -> None:
    async with (
        behind_proxy(database, tmp_path) as (_, port),
        FaultProxy(("127.0.0.1", port), source="127.0.0.2") as elsewhere,
    ):
        for number in range(2):
            # Not even with the secret.
            said = ((forwarding.SECRET, SECRET), (forwarding.ADDRESS, f"192.0.2.{number}"))
            await sign_up(port, f"owner{number}", said)
        code, why = await refused(sign_up(port, "owner2", ((forwarding.ADDRESS, "192.0.2.2"),)))
        assert (code, why[:41]) == (
            "RESOURCE_EXHAUSTED",
            "too many new owners from this address: co",
        )
        await sign_up(elsewhere.port, "owner3")


async def test_the_proxy_refuses_as_much_metadata_as_the_referee(
    database: str, tmp_path: Path
) -> None:
    async with behind_proxy(database, tmp_path) as (_, port):
        code, why = await refused(sign_up(port, "owner", (("x-much", "y" * 2_000),)))
        assert (code, why) == ("RESOURCE_EXHAUSTED", "a call's metadata is at most 2048 bytes")
        await sign_up(port, "owner")


async def test_the_proxy_refuses_metadata_that_is_not_text(database: str, tmp_path: Path) -> None:
    async with behind_proxy(database, tmp_path) as (_, port):
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as line:
            line.sendall(PREFACE + FLOODS["undecodable"](FIRST_STREAM))
            answer = b""
            while b"metadata must be ASCII" not in answer:
                more = await asyncio.to_thread(line.recv, 65_536)
                assert more
                answer += more


def is_refused(port: int, address: str) -> bool:
    """Whether a new connection from this address is closed at once."""
    line = socket.create_connection(("127.0.0.1", port), source_address=(address, 0))
    with line, suppress(ConnectionError):
        line.sendall(PREFACE)
        return line.recv(1) == b""
    return True


async def test_an_address_that_connects_too_often_is_refused_alone(
    database: str, tmp_path: Path
) -> None:
    async with behind_proxy(database, tmp_path) as (_, port):
        assert any(is_refused(port, "127.0.0.2") for _ in range(400))
        assert not is_refused(port, "127.0.0.3")
