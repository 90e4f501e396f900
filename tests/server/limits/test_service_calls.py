"""The services of spectators and of the registry, called without a network."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, cast

import grpc
import pytest
from structlog.testing import capture_logs

from arena.errors import INTERNAL_ERROR
from arena.match.transcript import Entrant
from arena.records import Owner, OwnerId, Registered, VersionId
from arena.server.reading.registry_service import READING_CALLS, RegistryService
from arena.server.requests.errors import malformed
from arena.server.watching.spectator_service import SpectatorService
from arena.server.watching.spectators import Spectators
from arena.v1 import registry_pb2, spectator_pb2
from tests.bots import PATIENCE
from tests.fakes import HandTimer
from tests.service_calls import Call, EndedError, Meter, gate
from tests.waiting import until_async

BOT = Registered(VersionId(1), Entrant("bot", "1", "owner"), False)
THERE = "ipv4:192.0.2.8:1"


class Watching:
    """The service of spectators where no match runs."""

    def __init__(self, delay: float = 0.0, **limits: Any) -> None:
        timer, self.meter = HandTimer(), Meter()
        self.spectators = Spectators(list, timer, delay)
        self.service = SpectatorService(
            self.spectators,
            gate(self.meter, **limits),
            timer,
            self.activity,
        )

    async def activity(self) -> spectator_pb2.GetActivityResponse:
        return spectator_pb2.GetActivityResponse(
            connected_bots=3, running_matches=2, recorded_matches=100, running_seconds=59
        )

    def watch(self, call: Call, **request: Any) -> asyncio.Task[None]:
        data = spectator_pb2.WatchRequest(**request).SerializeToString()
        return asyncio.create_task(self.service.watch(data, cast(Any, call)))

    async def refused(self, data: bytes | None = None, address: str = "", **request: Any) -> Call:
        call = Call(None, address or Call().address)
        if data is None:
            data = spectator_pb2.WatchRequest(**request).SerializeToString()
        with pytest.raises(EndedError):
            async with asyncio.timeout(PATIENCE):
                await self.service.watch(data, cast(Any, call))
        return call


async def test_a_spectator_is_told_the_delay_first() -> None:
    watching, call = Watching(delay=1.5), Call(None)
    task = watching.watch(call)
    await until_async(lambda: call.written)
    assert spectator_pb2.WatchResponse.FromString(call.written[0]).delay_ms == 1_500
    assert len(watching.spectators) == 1
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert len(watching.spectators) == 0


async def test_an_address_and_all_together_have_so_many_spectators() -> None:
    watching = Watching(watching_an_address=1, watching=2)
    calls = [Call(None), Call(None, THERE)]
    tasks = [watching.watch(calls[0])]
    await until_async(lambda: calls[0].written)
    call = await watching.refused()
    assert (call.code, call.metadata) == (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        {"retry-after": "10"},
    )
    tasks.append(watching.watch(calls[1]))
    await until_async(lambda: calls[1].written)
    assert "too many spectators" in (await watching.refused(address="ipv4:192.0.2.9:1")).sentence
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert not watching.service._by_address, "it takes no memory"
    again = watching.watch(third := Call(None))
    await until_async(lambda: third.written)
    again.cancel()


async def test_bytes_that_are_no_request_and_matches_that_do_not_run_are_refused() -> None:
    watching = Watching()
    call = await watching.refused(b"\xff")
    assert (call.code, call.sentence) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "these bytes are no arena.v1.WatchRequest",
    )
    match_id = "00000000-0000-4000-8000-000000000000"
    call = await watching.refused(match_id=match_id)
    assert (call.code, call.sentence) == (
        grpc.StatusCode.NOT_FOUND,
        f"match {match_id} is not being played",
    )
    assert watching.meter.codes == ["INVALID_ARGUMENT", "NOT_FOUND"]
    assert len(watching.spectators) == 0


async def test_who_watches_too_often_is_refused() -> None:
    watching = Watching(calls_burst=1, calls_per_second=0.001)
    await watching.refused(b"\xff")
    assert (await watching.refused()).code is grpc.StatusCode.RESOURCE_EXHAUSTED
    call = Call(None)
    with pytest.raises(EndedError):
        await watching.service.get_activity(spectator_pb2.GetActivityRequest(), cast(Any, call))
    assert call.code is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_when_the_referee_stops_all_spectators_are_told() -> None:
    watching, calls = Watching(), [Call(None), Call(None)]
    tasks = [watching.watch(call) for call in calls]
    await until_async(lambda: all(call.written for call in calls))
    watching.service.close_all(lambda: malformed("the referee is stopping"))
    watching.service.close_all(lambda: malformed("twice"))
    await asyncio.gather(*tasks, return_exceptions=True)
    assert [call.sentence for call in calls] == ["the referee is stopping"] * 2
    assert not watching.service._endings
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}, "nobody writes on"


async def test_the_activity_is_told_in_whole_seconds_with_the_delay() -> None:
    answer = await Watching(delay=30).service.get_activity(
        spectator_pb2.GetActivityRequest(), cast(Any, Call(None))
    )
    assert answer == spectator_pb2.GetActivityResponse(
        connected_bots=3,
        running_matches=2,
        recorded_matches=100,
        running_seconds=59,
        watch_delay_ms=30_000,
    )


ANN = Owner(OwnerId(1), "ann")


@dataclass
class Books:
    """Tokens and a Registration, and what it was asked for."""

    asked: list[tuple[Registered | Owner, str, str, str]] = field(default_factory=list)
    failure: Exception | None = None

    async def registrant(self, token: str) -> Registered | Owner:
        if token not in ("key", "token"):
            raise malformed("who is this?")
        return BOT if token == "token" else ANN

    async def register(
        self, registrant: Registered | Owner, bot: str, owner: str, version: str
    ) -> tuple[Entrant, str]:
        if self.failure is not None:
            raise self.failure
        self.asked.append((registrant, bot, owner, version))
        return Entrant(bot, version, owner), "new token"


class Registering:
    """The service of the registry, whose reading calls answer with what they were asked."""

    def __init__(self, **limits: Any) -> None:
        self.books, self.meter = Books(), Meter()
        self.gate = gate(self.meter, **limits)
        self.service = RegistryService(
            *(cast(Any, self.books), cast(Any, self.books), cast(Any, None), b"the key"),
            *(cast(Any, self), self.gate),
        )

    async def answer(self, call: str, request: bytes, peer: str) -> bytes:
        return f"{call} {request.decode()} {peer}".encode()

    async def register(self, call: Call, **request: Any) -> Any:
        asked = registry_pb2.RegisterBotRequest(**request)
        return await self.service.handlers["RegisterBot"].unary_unary(asked, cast(Any, call))


async def test_a_registration_is_passed_on_and_its_token_is_known_from_then_on() -> None:
    registering = Registering(failures_burst=1, failures_per_second=0.001)
    answer = await registering.register(Call("key"), bot="fox", owner="ann")
    assert (answer.token, answer.entrant.bot, answer.entrant.version) == ("new token", "fox", "1")
    await registering.register(Call("token"), bot="bot", version="2")
    assert registering.books.asked == [(ANN, "fox", "ann", "1"), (BOT, "bot", "", "2")]
    async with registering.gate.trying("wrong", Call().address):
        pass  # takes the only guess of the address, and puts it back
    secret = registering.gate._known
    assert len(secret) == 4


async def test_reading_calls_are_answered_from_bytes_to_bytes() -> None:
    registering, call = Registering(), Call(None)
    for name in READING_CALLS:
        method = registering.service.handlers[name].unary_unary
        assert await method(b"request", call) == f"{name} request {call.address}".encode()
    key = await registering.service.handlers["GetSigningKey"].unary_unary(
        registry_pb2.GetSigningKeyRequest(), cast(Any, call)
    )
    assert key.key == b"the key"
    assert registering.service.handlers.keys() >= {*READING_CALLS, "RegisterBot", "GetSigningKey"}


async def test_what_the_registry_refuses_ends_the_call_and_what_fails_says_nothing() -> None:
    registering, call = Registering(), Call("key")
    registering.books.failure = malformed("no such name")
    with pytest.raises(EndedError):
        await registering.register(call, bot="fox")
    assert (call.code, call.sentence) == (grpc.StatusCode.INVALID_ARGUMENT, "no such name")
    assert registering.meter.codes == [], "it is of no interest to the operator"
    registering.books.failure = RuntimeError("the secret")
    with capture_logs() as log, pytest.raises(EndedError):
        await registering.register(call, bot="fox")
    assert (call.code, call.sentence) == (grpc.StatusCode.INTERNAL, INTERNAL_ERROR)
    assert [line["call"] for line in log] == ["RegisterBot"]


async def test_calls_without_a_token_or_beyond_the_limit_are_counted() -> None:
    registering = Registering(calls_burst=2, calls_per_second=0.001)
    with pytest.raises(EndedError):
        await registering.register(Call(None), bot="fox")
    for _ in range(3):  # the first counts for the address, as the key is not yet known
        await registering.register(Call("key"), bot="fox")
    with pytest.raises(EndedError):
        await registering.register(Call("key"), bot="fox")
    assert registering.meter.codes == ["UNAUTHENTICATED", "RESOURCE_EXHAUSTED"]
    assert registering.meter.limits == ["calls"]
