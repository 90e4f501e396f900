"""The organiser sees how long a final takes and how far it is."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg

from arena.scheduling.formats import FormatName
from arena.server.app.store import Store
from arena.server.events.event import Event, FinalRules
from arena.server.events.finals.final_progress import MATCHES_A_MINUTE
from tests.server.events.cups import (
    RULES,
    entrant,
    frozen,
    let_pass,
    played,
    played_out,
    queued,
    said,
    signed_up,
    uploaded,
)


async def announced(store: Store, database: str, rules: FinalRules = RULES) -> Event:
    """An event with four accepted bots, and one whose build is not checked."""
    event, _ = await store.events.create("cup", said(rules), "me")
    for name in ("ann", "bob", "eve", "dan"):
        await entrant(store, database, "cup", name)
    fay = await signed_up(store, "fay")
    await uploaded(store, fay, "late")
    await store.events.enter(fay, "cup", "late")
    return event


async def begun(store: Store, sql: "psycopg.Connection[Any]", event: Event) -> Event:
    await frozen(store, sql, event)
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    return (await store.events.named("cup"))[0]


async def play(store: Store, sql: "psycopg.Connection[Any]", blocks: int) -> None:
    signer = await store.signer()
    for block in queued(sql)[:blocks]:
        found = await store.finals.begin_block(block)
        assert found is not None
        await store.finals.end_block(block, list(map(played, found.matches)), signer)


async def test_before_the_final_it_is_what_the_accepted_bots_would_play(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event = await announced(store, database)
    found = await store.finals.progress(event)
    assert (found.bots, found.blocks, found.matches, found.played) == (4, 12, 24, 0)
    assert found.left == timedelta(minutes=24 / MATCHES_A_MINUTE)
    event = await frozen(store, sql, event)
    assert await store.finals.progress(event) == found


async def test_too_few_bots_are_told_before_the_final(store: Store, database: str) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await entrant(store, database, "cup", "ann")
    found = await store.finals.progress(event)
    assert (found.bots, found.blocks, found.left) == (1, 0, None)
    assert found.why_not.startswith("a table of 2 needs at least 2 bots")


async def test_what_is_left_follows_from_the_pace_so_far(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event = await begun(store, sql, await announced(store, database))
    found = await store.finals.progress(event)
    assert (found.blocks, found.played, found.left) == (12, 0, None)
    await play(store, sql, 3)
    sql.execute("UPDATE events SET began_at = clock_timestamp() - interval '30 minutes'")
    found = await store.finals.progress(event)
    assert (found.blocks, found.played) == (12, 3)
    assert found.left is not None
    assert abs(found.left - timedelta(minutes=90)) < timedelta(minutes=1)
    sql.execute(
        "UPDATE procrastinate.procrastinate_jobs SET status = 'doing' WHERE id = ("
        "SELECT min(id) FROM procrastinate.procrastinate_jobs WHERE task_name = 'final')"
    )
    assert (await store.finals.progress(event)).playing == 1
    await store.finals.absent(queued(sql)[-1], [0], "It did not start.")
    found = await store.finals.progress(event)
    assert (found.walkovers, found.blocks) == (1, 10)
    await played_out(store, sql, event)
    found = await store.finals.progress(event)
    assert (found.played, found.blocks, found.left) == (10, 10, timedelta(0))


async def test_rounds_that_are_not_paired_yet_are_counted(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    rules = replace(RULES, format=FormatName.SWISS, rounds=3)
    event = await begun(store, sql, await announced(store, database, rules))
    assert (await store.finals.progress(event)).blocks == 12
    await play(store, sql, 4)
    await store.finals.keep(store.record)
    found = await store.finals.progress(event)
    assert (found.blocks, found.played) == (12, 4)
