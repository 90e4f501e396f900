"""Connected bots on the ladder of an event: the referee to which they are connected plays them."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import psycopg

from arena.match.verify import verify
from arena.server.app.store import Store
from arena.server.events.event import Event, LadderRules
from arena.server.events.ladder_standings import LadderMatch
from tests.bots import PATIENCE
from tests.scene import Scene
from tests.server.events.cups import entrant, let_pass, said
from tests.server.events.test_connected_entries import at_the_arena, connecting

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
