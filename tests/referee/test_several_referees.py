"""What several referees on one database have in common, as bots see it."""

import asyncio
from contextlib import AsyncExitStack

import grpc
import pytest

from arena.arena import Arena
from arena.assembly import running_arena
from tests.bots import PATIENCE, Peer


async def two(database: str, stack: AsyncExitStack) -> list[Arena]:
    return [
        await stack.enter_async_context(
            running_arena(
                database, "127.0.0.1", 0, [], public_address=lambda port: f"127.0.0.1:{port}"
            )
        )
        for _ in range(2)
    ]


async def test_the_first_words_tell_a_bot_where_it_is_and_where_the_others_are(
    database: str,
) -> None:
    async with AsyncExitStack() as stack:
        arenas = await two(database, stack)
        _, token = await arenas[0].store.register("fox", "me")
        addresses = [f"127.0.0.1:{arena.port}" for arena in arenas]
        for arena, own in zip(arenas, addresses, strict=True):
            await arena.store.lease.look()
            async with Peer(arena.port, token) as peer:
                welcome = await peer.greet()
                assert welcome.address == own
                assert list(welcome.referees.addresses) == addresses


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ("rotate_token", grpc.StatusCode.UNAUTHENTICATED),
        ("retire", grpc.StatusCode.PERMISSION_DENIED),
    ],
)
async def test_a_token_that_is_replaced_and_a_version_that_is_retired_end_the_streams_everywhere(
    database: str, change: str, status: grpc.StatusCode
) -> None:
    async with AsyncExitStack() as stack:
        arenas = await two(database, stack)
        _, token = await arenas[0].store.register("former", "me")
        peers = []
        for arena in arenas:
            peer = await stack.enter_async_context(Peer(arena.port, token))
            await peer.greet()
            peers.append(peer)
        await getattr(arenas[0].store, change)("former")
        for peer in peers:
            async with asyncio.timeout(PATIENCE):
                code, _ = await peer.status()
            assert code is status
