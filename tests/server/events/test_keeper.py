"""The keeper does what is due at its date, when it is told, and again after a failure."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from arena.database.async_engine import async_engine
from arena.database.errors import DatabaseUnreachableError
from arena.database.listening import ANYTHING
from arena.server.app.store import Store
from arena.server.events.event import Event
from arena.server.events.event_statements import BLOCK
from arena.server.events.finals.finals import Finals
from arena.server.events.finals.publishing import Record
from arena.server.events.serving import keeper as keeper_module
from arena.server.events.serving.keeper import EventKeeper
from tests.bots import PATIENCE
from tests.server.events.cups import entrant, let_pass, played, queued, said
from tests.waiting import until_async

Sql = psycopg.Connection[Any]


class Failing(Finals):
    """Finals whose first looks fail."""

    def __init__(self, database: str, *errors: Exception) -> None:
        super().__init__(async_engine(database))
        self.errors = list(errors)

    async def keep(self, record: Record) -> float | None:
        if self.errors:
            raise self.errors.pop(0)
        return await super().keep(record)


@asynccontextmanager
async def running(store: Store, finals: Finals) -> AsyncIterator[asyncio.Queue[str]]:
    """A keeper, and the queue of what it is told of."""
    news: asyncio.Queue[str] = asyncio.Queue()

    async def changes() -> AsyncGenerator[Collection[str]]:
        yield [ANYTHING]
        while True:
            yield [await news.get()]

    keeper = EventKeeper(finals, store.ladders, store.event_notices, store.record)
    task = asyncio.create_task(keeper.run(changes()))
    try:
        yield news
    finally:
        task.cancel()
        await asyncio.wait([task])


async def freezing_in(store: Store, sql: Sql, seconds: float) -> None:
    """An event that freezes in so many seconds; nobody is told of the date."""
    await store.events.create("cup", said(), "me")
    sql.execute(
        "UPDATE events SET freezes_at = clock_timestamp() + %s", [timedelta(seconds=seconds)]
    )


async def frozen(store: Store) -> Event:
    async with asyncio.timeout(PATIENCE):
        while True:
            event, _ = await store.events.named("cup")
            if event.frozen_at is not None:
                return event
            await asyncio.sleep(0.02)


async def test_it_sleeps_until_the_next_date(store: Store, sql: Sql) -> None:
    await freezing_in(store, sql, 0.5)
    async with running(store, store.finals):
        event = await frozen(store)
    assert event.frozen_at is not None
    late = event.frozen_at - event.terms.dates.freezes
    assert timedelta(0) <= late < timedelta(seconds=5)


async def test_news_wake_it(store: Store, sql: Sql) -> None:
    await store.events.create("cup", said(), "me")
    async with running(store, store.finals) as news:
        # After its first look.
        await until_async(lambda: sql.execute("SELECT FROM notices").fetchall())
        await asyncio.to_thread(let_pass, sql, "cup", 1.1)
        news.put_nowait("1")
        await frozen(store)


@pytest.mark.parametrize("error", [DatabaseUnreachableError("gone"), KeyError("a bug")])
async def test_a_look_that_fails_is_tried_again(
    store: Store, database: str, sql: Sql, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(keeper_module, "RETRY_SECONDS", 0.05)
    monkeypatch.setattr(keeper_module, "LOOK_SECONDS", 0.05)
    await freezing_in(store, sql, 0)
    finals = Failing(database, error, error)
    async with running(store, finals):
        await frozen(store)
    assert finals.errors == []


async def test_a_block_of_a_live_final_is_published_when_it_is_handed_in(
    store: Store, database: str, sql: Sql
) -> None:
    await store.events.create("cup", replace(said(), live=True), "me")
    for name in ("ann", "bob"):
        await entrant(store, database, "cup", name)
    await asyncio.to_thread(let_pass, sql, "cup", 2.1)
    await store.finals.keep(store.record)
    found = await store.finals.begin_block(queued(sql)[0])
    assert found is not None
    async with running(store, store.finals) as news:
        await until_async(lambda: sql.execute("SELECT FROM event_notices").fetchall())
        matches = list(map(played, found.matches))
        await store.finals.end_block(queued(sql)[0], matches, await store.signer())
        news.put_nowait(BLOCK)
        await until_async(lambda: len(sql.execute("SELECT FROM matches").fetchall()) == 2)
