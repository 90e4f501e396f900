"""A referee that stops hands its matches to the next one; bots come back to them."""

import asyncio
from contextlib import suppress
from typing import Any

import grpc
import psycopg

from arena.hosting.director import Terms
from arena.hosting.hosted_match import Patience
from arena.match.clock import TimeControl
from arena.v1 import referee_pb2 as pb
from tests.bots import Peer
from tests.referee.scene import CALM, Scene, good_pair, opened, playing

PATIENT = Terms(TimeControl(), patience=Patience(join_seconds=5, grace_seconds=20))
"""Nobody is absent because the machine is busy."""


async def again(scene: Scene, earlier: Scene, bot: str, **hello: Any) -> Peer:
    """A bot of an earlier referee, at this one."""
    return Peer(scene.port, earlier.tokens[bot], **hello)


async def to_turn(peers: list[Peer]) -> dict[str, list[pb.Turn]]:
    """Join and play until each match waits for somebody who then stays silent."""
    open_turns: dict[str, list[pb.Turn]] = {}
    for peer in peers:
        await peer.greet()

    async def listen(peer: Peer) -> None:
        while True:
            message = await peer.hear()
            await peer.join(message)
            for turn in message.turns:
                if turn.turn_number < 4:
                    await peer.say(answers=[peer.answer(turn)])
                else:
                    open_turns.setdefault(turn.match_id, []).append(turn)
                    news.set()

    news = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(listen(peer)) for peer in peers]
        async with asyncio.timeout(30):
            await news.wait()
        for task in running:
            task.cancel()
    return open_turns


async def test_a_match_goes_on_at_the_turn_where_the_referee_stopped(
    database: str, quiet: list[Any]
) -> None:
    async with opened(database, terms=PATIENT) as first:
        peers = [await first.peer(name, max_matches=1) for name in ("a", "b")]
        turns = await to_turn(peers)
        ((match_id, (turn, *_)),) = turns.items()
    for peer in peers:
        assert (await peer.status())[0] is grpc.StatusCode.UNAVAILABLE
        await peer.channel.close()
    async with opened(database, terms=PATIENT) as second:
        resumed = [await again(second, first, name, max_matches=1) for name in ("a", "b")]
        async with playing(resumed) as company:
            await company.go_on(2)
        heard = [message for peer in resumed for message in peer.heard]
        told = [one for message in heard for one in message.resumes]
        assert {one.offer.match_id for one in told} == {match_id}
        assert len(told) == 2
        assert {one.entropy for one in told} == {b"0123456789abcdef"}
        asked = next(t for m in heard for t in m.turns if t.match_id == match_id)
        assert (asked.turn_number, asked.view) == (turn.turn_number, turn.view)
        assert (asked.turn_ms, asked.bank_ms) == (turn.turn_ms, turn.bank_ms)
        row = await second.arena.store.match(match_id)
        assert row is not None and not row.voided
        assert all(seat.faults == 0 for seat in row.seats)
        assert {one.match_id for one in await second.results("a")} >= set(resumed[0].ended)
    with psycopg.connect(database.replace("+psycopg", "")) as connection:
        voided = connection.execute("SELECT count(*) FROM blocks WHERE voided_at IS NOT NULL")
        assert voided.fetchall() == [(0,)]


async def test_an_end_that_was_missed_is_told_once_when_the_bot_is_back(
    database: str, quiet: list[Any]
) -> None:
    async with opened(database, terms=CALM) as first:
        peers = [await first.peer(name, max_matches=1) for name in ("a", "b")]
        turns = await to_turn(peers)
        (match_id,) = turns
        gone, stays = peers
        gone.call.cancel()
        async with asyncio.timeout(30):
            with suppress(asyncio.CancelledError):
                while match_id not in stays.ended:
                    await stays.react(await stays.hear())
        async with await first.peer("a", max_matches=1) as back:
            await back.greet()
            message = await back.hear_until(lambda message: message.ends)
            (end,) = message.ends
            assert end.match_id == match_id
            assert end.events
            assert len(end.transcript.entropies) == 2
        async with await first.peer("a", max_matches=1) as told_once:
            await told_once.greet()
            assert not any(message.ends for message in told_once.heard)


async def test_a_bot_that_drains_plays_its_block_to_the_end_and_is_let_go(
    database: str, quiet: list[Any]
) -> None:
    async with opened(database) as scene, good_pair(scene):
        async with await scene.peer("leaver", max_matches=4) as leaver:
            await leaver.greet()
            await leaver.play(until=lambda: len(leaver.ended) >= 4)
            await leaver.say(drain=pb.Drain())
            with suppress(EOFError):
                await leaver.play()
            assert await leaver.call.code() is grpc.StatusCode.OK
            joined = set(leaver.offers) - {
                one.match_id for message in leaver.heard for one in message.withdrawals
            }
            assert joined == set(leaver.ended)
        rows = await scene.results("leaver")
        assert len(rows) % 2 == 0
        assert all(row.rated for row in rows)
        async with await scene.peer("leaver", max_matches=4) as back:
            await back.greet()
            await back.play(until=lambda: bool(back.ended))


async def test_a_bot_that_plays_nothing_and_drains_is_let_go_at_once(
    database: str, quiet: list[Any]
) -> None:
    async with opened(database) as scene, await scene.peer("alone") as alone:
        await alone.greet()
        await alone.say(drain=pb.Drain())
        code, _ = await alone.status()
        assert code is grpc.StatusCode.OK
