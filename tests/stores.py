"""A store on a database of the test's own, and plain SQL to look into that directly."""

from collections.abc import AsyncIterator, Iterator

import psycopg
import pytest

from arena.builds.hosted import Worker
from arena.records import Owner, VersionId
from arena.server.app.referees_store import RefereesStore, open_referees_store
from arena.server.app.store import Store, open_store
from tests.databases import plain


@pytest.fixture
async def store(database: str) -> AsyncIterator[Store]:
    async with open_store(database) as opened:
        yield opened


@pytest.fixture
async def referee(database: str) -> AsyncIterator[RefereesStore]:
    """A store whose lease is not renewed, which has no effect for some seconds."""
    async with open_referees_store(database) as opened:
        yield opened


@pytest.fixture
async def versions(store: Store) -> tuple[VersionId, ...]:
    """Three versions of three bots of three owners."""
    registered = [(await store.register(f"bot{n}", f"owner{n}"))[0] for n in range(3)]
    return tuple(one.version_id for one in registered)


@pytest.fixture
async def owner(store: Store) -> Owner:
    return (await store.owners.sign_up("Zoë", None))[0]


@pytest.fixture
async def worker(store: Store) -> Worker:
    found = await store.workers.by_token(await store.workers.add("w1", "me"))
    assert found is not None
    return found


@pytest.fixture
def sql(database: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(plain(database), autocommit=True) as connection:
        yield connection
