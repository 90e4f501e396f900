"""Connected bots on the ladder of an event: the referee to which they are connected plays them."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count
from typing import Any

import psycopg
import pytest

from arena.match.verify import verify
from arena.records import VersionId
from arena.scheduling.ladder import Candidate
from arena.server.app.store import Store
from arena.server.events.event import Event, LadderRules
from arena.server.events.ladders.connected_ladders import ConnectedLadders
from arena.server.events.ladders.ladder_standings import LadderMatch
from arena.server.failover.result_writer import ResultWriter
from arena.server.ladder.agenda import EngagementEnd
from arena.v1 import referee_pb2 as pb
from tests.bots import PATIENCE, Peer
from tests.scene import Scene
from tests.server.events.cups import entrant, let_pass, said
from tests.server.events.test_connected_entries import at_the_arena, connecting
from tests.server.ladder.recorders import FakeRecorder

FAST = LadderRules(("timid",), pace=100_000, enough=200)


async def announced(store: Store, ladder: LadderRules = FAST) -> Event:
    return (await store.events.create("cup", said(connected=True, ladder=ladder), "me"))[0]


async def played(
    store: Store, event: Event, done: Callable[[Sequence[LadderMatch]], bool]
) -> Sequence[LadderMatch]:
    """The matches on the ladder, when enough are played."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await store.event_views.matches(None, event)
            if done(found):
                return found
            await asyncio.sleep(0.1)


def names(matches: Sequence[LadderMatch]) -> set[str]:
    return {player.entrant.bot for match in matches for player, _ in match.seats}


@pytest.mark.slow
async def test_a_connected_bot_plays_on_the_ladder_with_connected_hosted_and_house_bots(
    scene: Scene, database: str
) -> None:
    store = scene.arena.store
    event = await announced(store)
    _, ann = await connecting(store, "cup", "ann")
    _, bob = await connecting(store, "cup", "bob")
    await entrant(store, database, "cup", "eve")
    _, timid = await store.register("timid", "house", house=True)
    tokens = ann, bob, timid, await scene.shift_token("bot-eve")
    async with at_the_arena(scene, *tokens):
        wanted = {"bot-ann", "bot-bob", "bot-eve", "timid"}
        found = await played(store, event, lambda matches: names(matches) == wanted)
    assert all(len(match.seats) == 2 and match.kept for match in found)
    for match in found:
        assert {"bot-ann", "bot-bob"} & {player.entrant.bot for player, _ in match.seats}
        transcript = await store.event_views.transcript(None, event, match.match_id)
        assert transcript is not None
        verify(transcript)
        assert transcript.setup.deal_id == ""
    by_block = [
        {m.match_id for m in found if m.block == block} for block in {m.block for m in found}
    ]
    assert {len(one) for one in by_block} == {2}, "every seat once"
    lines = {line.player.entrant.bot for line in await store.event_views.standings(event)}
    assert "bot-ann" in lines


@pytest.mark.slow
async def test_a_connected_bot_with_enough_blocks_begins_no_others(scene: Scene) -> None:
    store = scene.arena.store
    event = await announced(store, replace(FAST, house=(), enough=1))
    _, ann = await connecting(store, "cup", "ann")
    _, bob = await connecting(store, "cup", "bob")
    async with at_the_arena(scene, ann, bob):
        await played(store, event, lambda matches: len(matches) >= 2)
        (ladder,) = await store.connected_blocks.playing()
        assert ladder.connected == {}
        assert len(ladder.players) == 2


async def test_before_it_opens_and_in_events_for_builds_alone_nobody_connects(
    store: Store, sql: "psycopg.Connection[Any]"
) -> None:
    await store.events.create("builds", said(ladder=FAST), "me")
    event = await announced(store)
    await connecting(store, "cup", "ann")
    (ladder,) = await store.connected_blocks.playing()
    assert ladder.event_id == event.id
    let_pass(sql, "cup", -2)
    assert await store.connected_blocks.playing() == []


async def first_matches_alone(peer: Peer) -> None:
    """Play the first match of each block, and decline the second."""
    await peer.greet()
    while True:
        message = await peer.hear()
        if message.offers and len(peer.offers) % 2 == 0:
            declines = [pb.Decline(match_id=offer.match_id) for offer in message.offers]
            await peer.say(declines=declines)
        else:
            await peer.react(message)


@pytest.mark.slow
async def test_what_a_bot_has_played_of_a_block_that_it_leaves_counts(scene: Scene) -> None:
    store = scene.arena.store
    event = await announced(store, replace(FAST, house=()))
    _, ann = await connecting(store, "cup", "ann")
    _, bob = await connecting(store, "cup", "bob")
    async with at_the_arena(scene, bob), Peer(scene.port, ann, max_matches=1) as leaving:
        playing = asyncio.create_task(first_matches_alone(leaving))
        found = await played(
            store, event, lambda matches: 1 in Counter(match.block for match in matches).values()
        )
        playing.cancel()
    assert not any(row.voided for row in await scene.results("bot-ann"))
    for match in found:
        assert await store.event_views.transcript(None, event, match.match_id)
    lines = await store.event_views.standings(event)
    assert {line.player.entrant.bot for line in lines} == {"bot-ann", "bot-bob"}


@asynccontextmanager
async def with_a_hosted_bot(
    store: Store, database: str, recorder: FakeRecorder
) -> AsyncIterator[tuple[ConnectedLadders, Candidate, Candidate]]:
    """A ladder as the director asks it, of a connected and a hosted bot."""
    await announced(store, replace(FAST, house=()))
    await connecting(store, "cup", "ann")
    await entrant(store, database, "cup", "eve")
    (ladder,) = await store.connected_blocks.playing()
    ann, eve = (
        Candidate(version, f"owner-{version}", False, frozenset({"bluff"}))
        for version in sorted(ladder.players, key=lambda one: one not in ladder.connected)
    )
    looked = asyncio.Event()

    async def changes() -> AsyncGenerator[Collection[str]]:
        yield ()
        await asyncio.Event().wait()

    writer, times = ResultWriter(recorder), count(step=1000)
    agenda = ConnectedLadders(
        store.connected_blocks,
        writer,
        looked.set,
        lambda: float(next(times)),
    )
    tasks = [asyncio.create_task(agenda.run(changes())), asyncio.create_task(writer.run())]
    await looked.wait()
    yield agenda, ann, eve
    await writer.settled()
    for task in tasks:
        task.cancel()


async def test_a_connected_bot_that_is_busy_keeps_nobody_from_the_public_ladder(
    store: Store, database: str
) -> None:
    async with with_a_hosted_bot(store, database, FakeRecorder()) as (agenda, ann, eve):
        assert agenda.next_engagement([eve]) is None
        assert agenda.held([ann, eve]) == {ann.bot}
        assert agenda.next_engagement([ann]) is None
        assert agenda.held([ann, eve]) == {ann.bot, eve.bot}


async def test_nobody_chooses_a_seat_by_declining_or_by_leaving_blocks(
    store: Store, database: str
) -> None:
    recorder = FakeRecorder()
    async with with_a_hosted_bot(store, database, recorder) as (agenda, ann, eve):
        declined = agenda.next_engagement([ann, eve])
        assert declined is not None
        assert declined.bots == (ann.bot, eve.bot)
        agenda.ended(declined, EngagementEnd.INTERRUPTED)
        left = agenda.next_engagement([ann, eve])
        assert left is not None
        assert left.bots == declined.bots
        left.left.pop()
        agenda.ended(left, EngagementEnd.INTERRUPTED)
        again = agenda.next_engagement([ann, eve])
        assert again is not None
        assert again.bots == (eve.bot, ann.bot)
    assert (recorder.voided, recorder.closed) == ([declined.block.id], [left.block.id])


async def test_who_does_not_play_the_ladder_or_its_game_is_at_none_of_its_tables(
    store: Store, database: str
) -> None:
    async with with_a_hosted_bot(store, database, FakeRecorder()) as (agenda, ann, eve):
        stranger = replace(eve, bot=VersionId(999), owner="stranger")
        assert agenda.next_engagement([ann, stranger]) is None
        assert agenda.next_engagement([ann, replace(eve, games=frozenset({"bloeff"}))]) is None
        engagement = agenda.next_engagement([ann, eve])
        assert engagement is not None
        agenda.ended(engagement, EngagementEnd.INTERRUPTED)
