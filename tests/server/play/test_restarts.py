"""A referee that stops hands its matches to the next one; bots come back to them."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import grpc
import psycopg
import pytest

from arena.server.play.terms import Patience, Terms
from arena.v1 import referee_pb2 as pb
from tests import recorded_matches
from tests.bots import PATIENCE, Peer
from tests.scene import CALM, Scene, good_pair, opened, playing

PATIENT = Terms(patience=Patience(join_seconds=5, grace_seconds=20))
"""Nobody is absent because the machine is busy."""


async def again(scene: Scene, earlier: Scene, bot: str, **hello: Any) -> Peer:
    """A bot of an earlier referee, at this one."""
    return Peer(scene.port, earlier.tokens[bot], **hello)


class Silent:
    """Bots that join, and answer up to a turn at which their match then waits."""

    def __init__(self, *peers: Peer) -> None:
        self._peers = peers
        self._news = asyncio.Event()
        self.open_turns: dict[str, pb.Turn] = {}

    async def until(self, found: Callable[[], bool]) -> None:
        """Wait until something was heard."""
        async with asyncio.timeout(PATIENCE):
            while not found():
                self._news.clear()
                await self._news.wait()

    async def __aenter__(self) -> "Silent":
        for peer in self._peers:
            await peer.greet()
        # Not to be cancelled: with its read, grpc.aio cancels a whole call.
        self._tasks = [asyncio.create_task(self._listen(peer)) for peer in self._peers]
        await self.until(lambda: bool(self.open_turns))
        return self

    async def __aexit__(self, *_: object) -> None:
        for peer in self._peers:
            await peer.channel.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _listen(self, peer: Peer) -> None:
        with suppress(EOFError, grpc.aio.AioRpcError, asyncio.CancelledError):
            while True:
                message = await peer.hear()
                if not self.open_turns:
                    await peer.join(message)
                for turn in message.turns:
                    if turn.turn_number < 4:
                        await peer.say(answers=[peer.answer(turn)])
                    else:
                        self.open_turns[turn.match_id] = turn
                        self.asked = peer
                self._news.set()


@pytest.mark.slow
async def test_a_match_goes_on_at_the_turn_where_the_referee_stopped(
    database: str, quiet: list[Any]
) -> None:
    async with opened(database, terms=PATIENT) as first:
        peers = [await first.peer(name, max_matches=1) for name in ("a", "b")]
        # Left in this order: the referee stops while the bots are there.
        silent = await Silent(*peers).__aenter__()
    for peer in peers:
        assert await peer.call.code() is grpc.StatusCode.UNAVAILABLE
    await silent.__aexit__()
    ((match_id, turn),) = silent.open_turns.items()
    async with opened(database, terms=PATIENT) as second:
        resumed = [await again(second, first, name, max_matches=1) for name in ("a", "b")]
        async with playing(resumed) as company:
            await company.go_on(2)
        heard = [message for peer in resumed for message in peer.heard]
        told = [one for message in heard for one in message.resumes]
        assert {one.offer.match_id for one in told} == {match_id}
        assert len(told) == 2
        assert {one.entropy for one in told} == {b"0123456789abcdef"}
        turns = [one for m in heard for one in m.turns if one.match_id == match_id]
        asked = min(turns, key=lambda one: one.turn_number)  # the match may have gone on
        assert (asked.turn_number, asked.view) == (turn.turn_number, turn.view)
        # Told when they are sent, which may be a moment after they were opened.
        assert abs(asked.turn_ms - turn.turn_ms) < 200
        assert asked.bank_ms == turn.bank_ms
        row = await recorded_matches.match(second.arena.store, match_id)
        assert row is not None and not row.voided
        assert all(seat.faults == 0 for seat in row.seats)
        assert {one.match_id for one in await second.results("a")} >= set(resumed[0].ended)
    with psycopg.connect(database.replace("+psycopg", "")) as connection:
        voided = connection.execute("SELECT count(*) FROM blocks WHERE voided_at IS NOT NULL")
        assert voided.fetchall() == [(0,)]


async def missed_end(scene: Scene) -> tuple[str, str]:
    """A match that ended while one of its bots was away, and that bot."""
    bots = {name: await scene.peer(name, max_matches=1) for name in ("a", "b")}
    async with Silent(*bots.values()) as silent:
        (match_id,) = silent.open_turns
        (gone,) = (name for name, peer in bots.items() if peer is silent.asked)
        (stays,) = (peer for peer in bots.values() if peer is not silent.asked)
        silent.asked.call.cancel()
        await silent.until(lambda: match_id in stays.ended)
    return str(match_id), gone


@pytest.mark.slow
async def test_an_end_that_was_missed_is_told_once_when_the_bot_is_back(
    database: str, quiet: list[Any]
) -> None:
    async with opened(database, terms=CALM) as first:
        match_id, gone = await missed_end(first)
        async with await first.peer(gone, max_matches=1) as back:
            await back.greet()
            # The match before may have ended unheard, too.
            message = await back.hear_until(
                lambda message: match_id in [end.match_id for end in message.ends]
            )
            end = message.ends[-1]
            assert end.match_id == match_id
            assert end.events
            assert len(end.transcript.entropies) == 2
        async with await first.peer(gone, max_matches=1) as told_once:
            await told_once.greet()
            assert not any(message.ends for message in told_once.heard)


@pytest.mark.slow
async def test_an_end_that_was_missed_is_told_by_the_next_referee_too(
    database: str, quiet: list[Any]
) -> None:
    async with opened(database, terms=CALM) as first:
        match_id, gone = await missed_end(first)
    async with (
        opened(database, terms=CALM) as second,
        await again(second, first, gone, max_matches=1) as back,
    ):
        await back.greet()
        await back.hear_until(lambda message: match_id in [end.match_id for end in message.ends])


@pytest.mark.slow
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
