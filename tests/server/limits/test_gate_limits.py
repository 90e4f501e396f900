"""The gate's limits: who is counted by what, and what costs nothing."""

import asyncio
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import replace
from typing import Any

import grpc
import pytest

from arena.match.transcript import Entrant
from arena.records import Owner, OwnerId, Registered, VersionId
from arena.server.limits.gate import LEAST_MESSAGE_BYTES, MOST_KNOWN, Gate
from arena.server.limits.limits import LimitError, Limits
from arena.server.requests.errors import ProtocolError
from tests.bots import PATIENCE
from tests.service_calls import Known, Meter

BOT = Registered(VersionId(1), Entrant("bot", "1", "owner"), False)
OWNER = Owner(OwnerId(1), "owner")
HERE, THERE = "ipv4:192.0.2.1:1", "ipv4:192.0.2.2:1"


class Clocked:
    """A gate and its clock."""

    def __init__(self, *known: str, **limits: Any) -> None:
        self.time = 1_000.0
        self.known = Known({"good": BOT})
        given = Limits(**({"refusal_seconds": 0} | limits))
        self.gate = Gate(given, Meter(), lambda: self.time)
        for token in known:
            self.gate.learn(token)

    async def admit(self, token: str, peer: str = HERE) -> Registered:
        return await self.gate.admit(self.known.authenticate, token, peer)

    async def refused(self, token: str, peer: str = HERE) -> ProtocolError:
        with pytest.raises(ProtocolError) as error:
            await self.admit(token, peer)
        return error.value


async def test_wrong_tokens_are_counted_by_address_and_regained_in_time() -> None:
    at = Clocked(failures_burst=2, failures_per_second=0.1)
    for _ in range(2):
        assert (await at.refused("wrong")).code is grpc.StatusCode.UNAUTHENTICATED
    error = await at.refused("wrong")
    assert isinstance(error, LimitError)
    assert (error.limit, error.seconds) == ("failures", 10)
    assert (await at.refused("wrong", THERE)).code is grpc.StatusCode.UNAUTHENTICATED
    at.time += 10
    assert (await at.refused("wrong")).code is grpc.StatusCode.UNAUTHENTICATED


async def test_a_token_that_is_right_costs_nothing_and_is_known_from_then_on() -> None:
    at = Clocked(failures_burst=1, failures_per_second=0.001)
    for _ in range(5):
        assert await at.admit("good") is BOT
    await at.refused("wrong")
    # The address may not guess any more; who is known by its token still comes in.
    assert isinstance(await at.refused("wrong"), LimitError)
    assert await at.admit("good") is BOT


async def test_a_token_that_is_not_known_yet_waits_with_the_guesses_of_its_address() -> None:
    at = Clocked(failures_burst=1, failures_per_second=0.001)
    await at.refused("wrong")
    assert isinstance(await at.refused("good"), LimitError)
    assert await at.admit("good", THERE) is BOT


async def test_of_too_many_known_tokens_the_oldest_is_forgotten() -> None:
    at = Clocked("good", failures_burst=1, failures_per_second=0.001)
    for number in range(MOST_KNOWN - 1):
        at.gate.learn(str(number))
    await at.refused("wrong")
    assert await at.admit("good") is BOT
    at.gate.learn("one more")
    assert isinstance(await at.refused("good"), LimitError)


async def test_a_known_token_that_is_replaced_is_a_guess_the_next_time() -> None:
    at = Clocked("old", failures_burst=1, failures_per_second=0.001)
    for _ in range(2):
        assert (await at.refused("old")).code is grpc.StatusCode.UNAUTHENTICATED
    assert isinstance(await at.refused("old"), LimitError)


async def test_another_refusal_than_that_of_a_wrong_token_costs_nothing() -> None:
    async def retired(token: str) -> Registered:
        raise ProtocolError(grpc.StatusCode.PERMISSION_DENIED, f"{token} is retired")

    at = Clocked(failures_burst=1, failures_per_second=0.001)
    for _ in range(5):
        with pytest.raises(ProtocolError, match="is retired"):
            await at.gate.admit(retired, "retired", HERE)


async def test_a_known_token_opens_so_many_streams_from_any_address() -> None:
    at = Clocked("good", streams_burst=2, streams_per_second=0.1)
    await at.admit("good")
    await at.admit("good", THERE)
    error = await at.refused("good")
    assert isinstance(error, LimitError)
    assert (error.limit, error.seconds) == ("streams", 10)
    at.time += 10
    assert await at.admit("good") is BOT


def test_calls_and_health_checks_are_counted_apart() -> None:
    at = Clocked(calls_burst=1, calls_per_second=0.001)
    at.gate.call(HERE)
    at.gate.call(THERE)
    with pytest.raises(LimitError, match="too many calls from this address"):
        at.gate.call(HERE)


async def test_a_health_check_beyond_the_limit_waits_and_one_within_does_not() -> None:
    at = Clocked(calls_burst=1, calls_per_second=0.001, refusal_seconds=3_600)
    at.gate.call(HERE)
    async with asyncio.timeout(PATIENCE):
        await at.gate.pace(HERE)
        await at.gate.pace(THERE)
    waiting = asyncio.create_task(at.gate.pace(HERE))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()


def test_registrations_are_counted_by_owner_with_a_token_and_with_the_key_alike() -> None:
    at = Clocked(registrations_burst=1, registrations_per_second=0.001)
    other = replace(BOT, entrant=Entrant("bot2", "1", "another"))
    at.gate.registration(BOT)
    at.gate.registration(other)
    at.gate.registration(Owner(OwnerId(3), "third"))
    for registrant in (BOT, Owner(OwnerId(1), "owner")):
        with pytest.raises(LimitError, match="too many registrations by owner"):
            at.gate.registration(registrant)


def test_changes_are_counted_by_owner() -> None:
    at = Clocked(changes_burst=1, changes_per_second=0.1)
    at.gate.change(OWNER)
    at.gate.change(Owner(OwnerId(2), "another"))
    with pytest.raises(LimitError, match="too many changes by owner: come back in 10 s"):
        at.gate.change(OWNER)
    at.time += 10
    at.gate.change(OWNER)


def test_new_owners_are_counted_by_address_unless_that_fails() -> None:
    at = Clocked(sign_ups_burst=2, sign_ups_per_second=0.001)
    refusal = ProtocolError(grpc.StatusCode.ALREADY_EXISTS, "taken")
    for failed in (False, True, True, False):
        with suppress(ProtocolError) if failed else nullcontext(), at.gate.signing_up(HERE):
            if failed:
                raise refusal
    with pytest.raises(LimitError, match="too many new owners"), at.gate.signing_up(HERE):
        pass
    with at.gate.signing_up(THERE):
        pass


def test_a_version_has_so_many_silent_streams_until_each_has_spoken_or_ended() -> None:
    at = Clocked(streams_without_hello=2)
    one, other = VersionId(1), VersionId(2)
    spoke, ended = at.gate.silent(one), at.gate.silent(one)
    of_other = at.gate.silent(other)
    with pytest.raises(LimitError, match="without a `hello`"):
        at.gate.silent(one)
    spoke()
    spoke()
    third = at.gate.silent(one)
    with pytest.raises(LimitError):
        at.gate.silent(one)
    for over in (ended, third, of_other):
        over()
    assert at.gate._without_hello == {}, "it takes no memory"


def test_an_address_and_all_together_have_so_many_streams_of_reflection() -> None:
    at = Clocked(reads_an_address=1, reads_waiting=2)
    with ExitStack() as stack:
        stack.enter_context(at.gate.reading_stream(HERE))
        with pytest.raises(LimitError) as refused, at.gate.reading_stream(HERE):
            pass
        assert (refused.value.limit, refused.value.seconds) == ("reading", 1)
        stack.enter_context(at.gate.reading_stream(THERE))
        with pytest.raises(LimitError), at.gate.reading_stream("ipv4:192.0.2.3:1"):
            pass
    assert at.gate._reading == {}, "it takes no memory"
    with at.gate.reading_stream(HERE):
        pass


def test_a_stream_of_reflection_is_a_call() -> None:
    at = Clocked(calls_burst=1, calls_per_second=0.001)
    with at.gate.reading_stream(HERE):
        pass
    with pytest.raises(LimitError, match="too many calls"), at.gate.reading_stream(HERE):
        pass


def test_each_stream_sends_so_many_bytes() -> None:
    at = Clocked(bytes_burst=1000, bytes_per_second=LEAST_MESSAGE_BYTES)
    count, other = at.gate.byte_count(), at.gate.byte_count()
    count(600)
    count(400)
    other(1000)
    with pytest.raises(LimitError, match="sends too much") as refused:
        count(1)
    assert (refused.value.limit, refused.value.seconds) == ("bytes", 1)
    at.time += 1
    count(10)
