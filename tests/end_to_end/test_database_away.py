"""The database goes away under a referee that plays: killed, silent, and back again."""

import asyncio
import time
from pathlib import Path

import grpc
import psycopg

from arena.records import FinishedMatch
from arena.server.app.spools import Spools
from arena.server.app.store import open_store
from tests.bots import Peer
from tests.databases import plain
from tests.end_to_end.programs import program
from tests.end_to_end.test_crashes import SERVE, assert_consistent, unread
from tests.fault_proxy import FaultProxy
from tests.waiting import until_async

PLAYED_BEFORE = 60
SPOOLED = 40


async def test_results_of_a_referee_killed_while_the_database_is_away_are_recorded_once(
    home: Path, database: str, behind: str, proxy: FaultProxy
) -> None:
    async with open_store(database) as store:
        tokens = [(await store.register(f"bot{n}", f"owner{n}"))[1] for n in range(4)]
        key = (await store.signer()).public_key
    with program(home, *SERVE, ARENA_DATABASE_URL=behind) as referee:
        port = await asyncio.to_thread(referee.port)
        peers = [Peer(port, token, max_matches=16) for token in tokens]
        playing = [asyncio.create_task(play(peer)) for peer in peers]
        await until_async(
            lambda: sum(len(peer.ended) for peer in peers) >= PLAYED_BEFORE, pause=0.05
        )
        proxy.swallow = True
        proxy.cut()
        await until_async(lambda: len(spooled(home, key)) >= SPOOLED, pause=0.05)
        referee.kill()
        await asyncio.gather(*playing)
    for peer in peers:
        while await unread(peer):
            pass
        await peer.channel.close()
    told = {match_id for peer in peers for match_id in peer.ended}
    waiting = set(spooled(home, key))
    assert told.isdisjoint(waiting)

    proxy.swallow = False
    for _ in range(2):
        with program(home, *SERVE, ARENA_DATABASE_URL=behind) as referee:
            await asyncio.to_thread(referee.port)
            assert referee.stop() == 0
        assert spools(home) == []
    with psycopg.connect(plain(database)) as connection:
        assert_consistent(connection, told | waiting)


async def test_a_referee_whose_database_is_silent_ends_in_time(
    home: Path, database: str, behind: str, proxy: FaultProxy
) -> None:
    async with open_store(database) as store:
        tokens = [(await store.register(f"bot{n}", f"owner{n}"))[1] for n in range(4)]
    with program(home, *SERVE, ARENA_DATABASE_URL=behind) as referee:
        port = await asyncio.to_thread(referee.port)
        peers = [Peer(port, token, max_matches=16) for token in tokens]
        playing = [asyncio.create_task(play(peer)) for peer in peers]
        await until_async(
            lambda: sum(len(peer.ended) for peer in peers) >= PLAYED_BEFORE, pause=0.05
        )
        proxy.swallow = True
        began = time.monotonic()
        assert await asyncio.to_thread(referee.stop) == 0
        assert time.monotonic() - began < 30
        await asyncio.gather(*playing)
        assert "Traceback" not in referee.complained


def spools(home: Path) -> list[Path]:
    return list(home.glob("*.spool"))


def spooled(home: Path, key: bytes) -> list[str]:
    found = [one for spool in Spools(home, key).left().values() for one in spool.read()]
    return [one.transcript.setup.match_id for one in found if isinstance(one, FinishedMatch)]


async def play(peer: Peer) -> None:
    try:
        await peer.greet()
        await peer.play(until=lambda: False)
    except (EOFError, grpc.aio.AioRpcError, asyncio.InvalidStateError):
        pass
