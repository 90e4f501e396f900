"""One referee to a database: a second one would void the blocks that the first one plays."""

import asyncio

import psycopg
import pytest

from arena.assembly import running_arena
from arena.records import VersionId
from arena.storage.errors import AnotherRefereeError, DatabaseUnreachableError
from arena.storage.sole_referee import sole_referee
from arena.storage.store import Store
from tests.databases import execute, named, plain
from tests.storage.results import block, finished


async def test_a_second_referee_is_refused_while_the_first_one_runs(database: str) -> None:
    async with sole_referee(database):
        with pytest.raises(AnotherRefereeError, match="Another referee runs on this database"):
            async with sole_referee(database):
                pytest.fail("two referees ran on one database")


async def test_a_referee_may_start_once_the_one_before_has_stopped(database: str) -> None:
    for _ in range(2):
        async with sole_referee(database):
            pass


async def test_a_referee_that_was_cut_off_leaves_its_place_free(database: str) -> None:
    async with sole_referee(database):
        holds_it = "locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname"
        execute(
            named(database, "postgres"),
            f"SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE {holds_it} = "
            f"'{database.rpartition('/')[2].partition('?')[0]}')",
        )
        async with asyncio.timeout(10), sole_referee(database):
            pass


async def test_referees_of_two_databases_do_not_disturb_each_other(
    database: str, empty_database: str
) -> None:
    async with sole_referee(database), sole_referee(empty_database):
        pass


async def test_a_database_that_does_not_answer_is_told() -> None:
    with pytest.raises(DatabaseUnreachableError, match="The database does not answer"):
        async with sole_referee("postgresql+psycopg://me@127.0.0.1:1/arena"):
            pytest.fail("there was no database")


async def test_an_arena_that_is_refused_voids_nothing_of_the_one_that_runs(
    database: str, store: Store, versions: tuple[VersionId, ...]
) -> None:
    running = block(2)
    async with running_arena(database, "127.0.0.1", 0, [], "key"):
        await store.record([finished(versions, running)])
        with pytest.raises(AnotherRefereeError):
            async with running_arena(database, "127.0.0.1", 0, [], "key"):
                pytest.fail("two arenas ran on one database")
        with psycopg.connect(plain(database)) as connection:
            voided = connection.execute("SELECT voided_at FROM blocks").fetchall()
    assert voided == [(None,)]
