"""A referee killed in the middle of play, again and again: what was told is true, and what ran goes
on with the next one."""

import asyncio
from contextlib import suppress
from pathlib import Path

import grpc
import psycopg

from arena.database.embedded import EmbeddedPostgres
from arena.database.schema import migrate
from arena.match.verify import verify
from arena.server.app.store import open_store
from arena.v1 import referee_pb2 as pb
from tests.bots import Peer
from tests.databases import plain
from tests.end_to_end.programs import Program, program
from tests.free_port import free_port

KILLS = 3
BOTS = 4
TOLD_BEFORE_A_KILL = 150
SERVE = ("serve", "--port", "0", "--table", "bluff:2:dice_per_player=1")


async def test_a_match_that_was_told_to_have_ended_outlives_every_crash(home: Path) -> None:
    tokens = await register(home)
    told: list[str] = []
    for _ in range(KILLS):
        with program(home, *SERVE) as referee:
            told += await told_until_killed(referee, tokens)
    assert len(set(told)) >= KILLS * TOLD_BEFORE_A_KILL
    with program(home, *SERVE) as referee:
        peers = [Peer(referee.port(), token, max_matches=16) for token in tokens]
        await drained(peers)
        with EmbeddedPostgres(home / "postgres") as url, psycopg.connect(plain(url)) as database:
            assert_consistent(database, set(told))
        assert referee.stop() == 0
    with EmbeddedPostgres(home / "postgres") as url:
        async with open_store(url) as store:
            assert await store.transcript(told[0]) is not None


async def test_matches_that_run_when_a_referee_stops_go_on_with_the_next_one(home: Path) -> None:
    tokens = await register(home)
    ports = (free_port(), free_port())
    environment: dict[str, str] = {}
    ended: set[str] = set()
    with EmbeddedPostgres(home / "postgres") as url, psycopg.connect(plain(url)) as database:
        database.autocommit = True
        environment["ARENA_DATABASE_URL"] = url
        for number, stop in enumerate([Program.kill, Program.stop, Program.kill]):
            arguments = ("serve", "--port", str(ports[number % 2]), "--table", "bluff:2")
            # A home of its own: the database outlives it.
            with program(home.parent / "referee", *arguments, **environment) as referee:
                referee.port()
                peers = [Peer(ports[number % 2], token, max_matches=4) for token in tokens]
                await played_for_a_while(peers)
                stop(referee)
                await heard_out(peers)
                ended.update(match for peer in peers for match in peer.ended)
            running = {
                str(row[0]): bytes(row[1])
                for row in database.execute("SELECT id, head FROM running_matches")
            }
            assert running, "nothing ran when the referee stopped"
            # A home of its own: the database outlives it.
            with program(home.parent / "referee", *arguments, **environment) as referee:
                referee.port()
                peers = [Peer(ports[number % 2], token, max_matches=4) for token in tokens]
                resumed = await drained(peers)
                ended.update(match for peer in peers for match in peer.ended)
                for peer in peers:
                    for match_id in running.keys() & {m for m in resumed if m in peer.offers}:
                        assert resumed[match_id] == b"0123456789abcdef"
                assert referee.stop() == 0
            recorded = {str(row[0]) for row in database.execute("SELECT match_id FROM transcripts")}
            assert running.keys() <= recorded
            assert ended <= recorded
            assert_consistent(database, ended)
            assert database.execute(
                "SELECT count(*) FROM blocks WHERE voided_at IS NOT NULL"
            ).fetchall() == [(0,)]
            for table in ("running_blocks", "running_matches", "running_replies"):
                rows = database.execute(f"SELECT count(*) FROM {table}".encode()).fetchall()
                assert rows == [(0,)], table
            assert database.execute("SELECT sum(faults) FROM match_seats").fetchall() == [(0,)]
        async with open_store(url) as store:
            for match_id in recorded:
                transcript = await store.transcript(match_id)
                assert transcript is not None
                verify(transcript)


async def played_for_a_while(peers: list[Peer]) -> None:
    """Play until each bot has seen some ends, and stop answering in the middle of matches."""
    async with asyncio.TaskGroup() as tasks:
        for peer in peers:
            await peer.greet()
            tasks.create_task(peer.play(until=lambda: all(len(one.ended) >= 10 for one in peers)))
    # Longer than what is known to be kept late.
    await asyncio.sleep(0.3)


async def heard_out(peers: list[Peer]) -> None:
    for peer in peers:
        while await unread(peer):
            pass
        await peer.channel.close()


async def drained(peers: list[Peer]) -> dict[str, bytes]:
    """Connect, ask to leave, and play until the referee lets all go; the resumed entropies."""

    async def play(peer: Peer) -> None:
        await peer.greet()
        await peer.say(drain=pb.Drain())
        with suppress(EOFError, grpc.aio.AioRpcError):
            await peer.play()
        assert await peer.call.code() is grpc.StatusCode.OK
        await peer.channel.close()

    async with asyncio.TaskGroup() as tasks:
        for peer in peers:
            tasks.create_task(play(peer))
    return {
        one.offer.match_id: one.entropy
        for peer in peers
        for message in peer.heard
        for one in message.resumes
    }


async def register(home: Path) -> list[str]:
    with EmbeddedPostgres(home / "postgres") as url:
        migrate(url)
        async with open_store(url) as store:
            return [(await store.register(f"bot{n}", f"owner{n}"))[1] for n in range(BOTS)]


async def told_until_killed(referee: Program, tokens: list[str]) -> list[str]:
    """Play hard until enough matches have ended, then kill; the matches told to have ended."""
    port = await asyncio.to_thread(referee.port)
    peers = [Peer(port, token, max_matches=16) for token in tokens]

    def enough() -> bool:
        return sum(len(peer.ended) for peer in peers) >= 2 * TOLD_BEFORE_A_KILL

    async def play(peer: Peer) -> None:
        try:
            await peer.greet()
            await peer.play(until=enough)
        except (EOFError, grpc.aio.AioRpcError, asyncio.InvalidStateError):
            referee.process.wait(5)  # only its death may have ended the stream
            return
        if referee.process.poll() is None:
            referee.process.kill()

    async with asyncio.TaskGroup() as tasks:
        for peer in peers:
            tasks.create_task(play(peer))
    referee.process.wait()
    for peer in peers:
        while await unread(peer):
            pass
        await peer.channel.close()
    return [match_id for peer in peers for match_id in peer.ended]


async def unread(peer: Peer) -> bool:
    """Hear what had arrived before the end."""
    try:
        await peer.hear()
    except (EOFError, grpc.aio.AioRpcError, asyncio.InvalidStateError):
        return False
    return True


def assert_consistent(database: psycopg.Connection, told: set[str]) -> None:
    def count(statement: str) -> int:
        row = database.execute(statement.encode()).fetchone()
        assert row is not None
        return int(row[0])

    recorded = {str(row[0]) for row in database.execute("SELECT id FROM matches")}
    assert told <= recorded
    assert count("SELECT count(*) FROM transcripts") == len(recorded)
    assert count("SELECT count(*) FROM match_seats") == 2 * len(recorded)
    unfinished = "closed_at IS NULL AND voided_at IS NULL"
    assert count(f"SELECT count(*) FROM blocks WHERE {unfinished}") == 0
    assert count("SELECT count(*) FROM blocks WHERE closed_at IS NOT NULL") > 0
    # The ratings were told of the matches of complete blocks, of each once, and of no others.
    rated = "SELECT count(*) FROM rating_events"
    complete = "SELECT count(*) FROM matches JOIN blocks ON blocks.id = block_id"
    assert count(rated) == count(f"{complete} WHERE closed_at IS NOT NULL")
    sizes = "SELECT count(*) FROM matches GROUP BY block_id HAVING count(*) > 2"
    assert database.execute(sizes).fetchall() == []
