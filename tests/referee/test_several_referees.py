"""What several referees on one database have in common, as bots see it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import grpc
import pytest

from arena.arena import Arena
from arena.assembly import running_arena
from arena.storage.async_engine import async_engine
from arena.storage.errors import AddressesTakenError
from arena.storage.lease import held_lease
from arena.v1 import referee_pb2
from tests.bots import PATIENCE, Peer
from tests.referee.scene import BLUFF


@pytest.fixture
async def two(database: str) -> AsyncIterator[list[Arena]]:
    """Two referees on one database."""
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                running_arena(
                    *(database, "127.0.0.1", 0, [BLUFF]),
                    public_addresses=lambda port: [f"127.0.0.1:{port}"],
                )
            )
            for _ in range(2)
        ]


async def test_the_first_words_tell_a_bot_where_it_is_and_where_the_others_are(
    two: list[Arena],
) -> None:
    _, token = await two[0].store.register("fox", "me")
    addresses = [f"127.0.0.1:{arena.port}" for arena in two]
    for arena, own in zip(two, addresses, strict=True):
        await arena.store.lease.look()
        async with Peer(arena.port, token) as peer:
            welcome = await peer.greet()
            assert welcome.address == own
            assert list(welcome.referees.addresses) == addresses


async def test_a_bot_that_says_it_has_no_places_is_connected_and_offered_nothing_until_it_has(
    two: list[Arena],
) -> None:
    async with AsyncExitStack() as stack:
        peers = []
        for name, places in (("none", -1), ("some", 1)):
            _, token = await two[0].store.register(name, name)
            peer = await stack.enter_async_context(Peer(two[0].port, token, max_matches=places))
            welcome = await peer.greet()
            assert welcome.max_matches == max(0, places)
            peers.append(peer)
        assert two[0].connected == 2
        assert two[0].director.running == 0
        await peers[0].say(places=referee_pb2.Places(max_matches=1))
        async with asyncio.timeout(PATIENCE):
            while not (await peers[0].hear()).offers:
                pass


async def test_each_of_several_takes_an_address_that_no_other_has(
    database: str, two: list[Arena]
) -> None:
    free = ["one:1", "two:2", "three:3"]
    leases = [arena.store.lease for arena in two]
    for lease in leases:
        await lease.announce(*free[:2])
    assert [lease.address for lease in leases] == free[:2]
    assert leases[1].addresses == ("one:1", "two:2")
    engine = async_engine(database)
    async with held_lease(engine) as third:
        with pytest.raises(AddressesTakenError, match="one:1 to two:2"):
            await third.announce(*free[:2])
        await third.announce(*free)
        assert third.address == "three:3"
    await engine.dispose()
    # The one address of a referee is its own, whoever has had it.
    await leases[1].announce("one:1")
    assert leases[1].address == "one:1"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ("rotate_token", grpc.StatusCode.UNAUTHENTICATED),
        ("retire", grpc.StatusCode.PERMISSION_DENIED),
    ],
)
async def test_a_token_that_is_replaced_and_a_version_that_is_retired_end_the_streams_everywhere(
    two: list[Arena], change: str, status: grpc.StatusCode
) -> None:
    async with AsyncExitStack() as stack:
        _, token = await two[0].store.register("former", "me")
        peers = []
        for arena in two:
            peer = await stack.enter_async_context(Peer(arena.port, token))
            await peer.greet()
            peers.append(peer)
        await getattr(two[0].store, change)("former")
        for peer in peers:
            async with asyncio.timeout(PATIENCE):
                code, _ = await peer.status()
            assert code is status
