"""A database that takes bytes and never answers is given up within ten seconds, everywhere."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import aclosing, contextmanager

import pytest

from arena.database.errors import DatabaseUnreachableError
from arena.database.listening import notifications
from arena.database.reading import open_reader
from arena.database.schema import migrate
from arena.database.statement import row_count
from arena.records import VersionId
from arena.server.app.store import Store, open_store
from arena.server.results import statements
from tests import recorded_matches
from tests.databases import execute
from tests.fault_proxy import FaultProxy
from tests.recorded_results import finished

pytestmark = [pytest.mark.slow, pytest.mark.system]  # chaos

GIVEN_UP = 10.0
"""Seconds."""


@contextmanager
def given_up_in_time() -> Iterator[None]:
    began = time.monotonic()
    with pytest.raises(DatabaseUnreachableError, match="answer"):
        yield
    assert time.monotonic() - began < GIVEN_UP


async def test_a_connection_that_falls_silent_is_given_up_and_the_next_one_works(
    behind: str, proxy: FaultProxy
) -> None:
    async with open_store(behind) as store:
        await store.bots()
        proxy.swallow = True
        with given_up_in_time():
            await store.bots()
        proxy.swallow = False
        assert await store.bots() == []


async def test_results_on_their_way_to_a_silent_database_are_recorded_once_when_it_is_back(
    behind: str, proxy: FaultProxy, store: Store, versions: tuple[VersionId, ...]
) -> None:
    match = finished(versions[:2])
    async with open_store(behind) as through:
        await through.bots()
        proxy.delay = 0.3  # the ping still gets its answer
        recording = asyncio.create_task(through.record([match]))
        await asyncio.sleep(0.8)
        proxy.delay, proxy.swallow = 0.0, True
        with given_up_in_time():
            await recording
        proxy.swallow = False
        await through.record([match])
    assert len(await recorded_matches.matches(store)) == 1


async def test_a_database_that_is_silent_from_the_first_byte_is_given_up(
    behind: str, proxy: FaultProxy
) -> None:
    proxy.swallow = True
    async with open_store(behind) as store:
        with given_up_in_time():
            await store.bots()


def test_reads_and_migrations_are_given_up_as_well(behind: str, proxy: FaultProxy) -> None:
    with open_reader(behind) as read:
        read(row_count(statements.match_rows()))
        proxy.swallow = True
        with given_up_in_time():
            read(row_count(statements.match_rows()))
        with given_up_in_time():
            migrate(behind)


async def test_whoever_listens_notices_the_silence_and_listens_anew(
    behind: str, proxy: FaultProxy, database: str
) -> None:
    async with asyncio.timeout(40), aclosing(notifications(behind, ["news"])) as news:
        await anext(news)
        execute(database, "NOTIFY news")
        await anext(news)
        proxy.swallow = True
        again = asyncio.ensure_future(anext(news))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(GIVEN_UP + 1):
                await asyncio.shield(again)
        proxy.swallow = False
        await again  # so that nothing that was told meanwhile is missed
        execute(database, "NOTIFY news")
        await anext(news)


async def test_a_cut_connection_costs_one_attempt_at_most(behind: str, proxy: FaultProxy) -> None:
    async with open_store(behind) as store:
        await store.bots()
        proxy.cut()
        assert await store.bots() == []


async def test_a_slow_line_is_not_a_silent_one(behind: str, proxy: FaultProxy) -> None:
    async with open_store(behind) as store:
        await store.bots()
        proxy.delay = 0.5
        assert await store.bots() == []
