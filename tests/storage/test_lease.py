"""One referee to a database at a time, by a lease: every way to lose it, and what is no way."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import pytest

from arena.assembly import running_arena
from arena.processes import spawn, stop
from arena.storage.engine import async_engine
from arena.storage.errors import AnotherRefereeError, DatabaseUnreachableError, LeaseTakenError
from arena.storage.lease import LEASE_SECONDS, Lease, held_lease
from arena.storage.process_identity import has_ended, own_identity
from tests.databases import execute, named, plain, unreachable

# Most wait until a lease has run out.
pytestmark = [pytest.mark.slow, pytest.mark.alone]


@asynccontextmanager
async def held(url: str) -> AsyncIterator[Lease]:
    """A lease that is renewed, as a referee holds it."""
    engine = async_engine(url)
    try:
        async with held_lease(engine) as lease, asyncio.TaskGroup() as tasks:
            keeping = tasks.create_task(lease.keep())
            yield lease
            keeping.cancel()
    finally:
        await engine.dispose()


def holder(url: str) -> subprocess.Popen[bytes]:
    """Another process that holds the lease until it is killed."""
    process = spawn([sys.executable, "-m", "tests.storage.holder", url], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert b"holding" in process.stdout.readline()
    return process


def epochs(sql: psycopg.Connection) -> list[int]:
    return [row[0] for row in sql.execute("SELECT epoch FROM leases ORDER BY epoch")]


async def test_a_second_referee_is_refused_while_the_first_one_runs(
    database: str, sql: psycopg.Connection
) -> None:
    async with held(database) as first:
        with pytest.raises(AnotherRefereeError, match="Another referee runs on this database"):
            async with held(database):
                pytest.fail("two referees ran on one database")
        assert epochs(sql) == [first.epoch]


async def test_a_referee_may_start_at_once_when_the_one_before_has_stopped(database: str) -> None:
    seen = []
    for _ in range(3):
        async with asyncio.timeout(LEASE_SECONDS), held(database) as lease:
            seen.append(lease.epoch)
    assert seen == sorted(set(seen))


async def test_a_referee_inherits_spools_from_the_one_before_and_from_one_that_never_played(
    database: str, sql: psycopg.Connection
) -> None:
    async with held(database) as first:
        assert first.inherited == set()
        await first.settle()
    async with held(database) as second:
        assert second.inherited == {first.epoch}
    async with held(database) as third:
        assert third.inherited == {first.epoch, second.epoch}
        await third.settle()
    async with held(database) as fourth:
        assert fourth.inherited == {third.epoch}


async def test_a_referee_that_was_killed_is_known_to_be_dead_and_replaced_at_once(
    database: str,
) -> None:
    process = holder(database)
    process.send_signal(signal.SIGKILL)
    # Not reaped yet: a zombie is dead, too.
    async with asyncio.timeout(LEASE_SECONDS), held(database):
        pass
    process.wait()


async def test_a_frozen_referee_is_replaced_and_stops_when_it_wakes(
    database: str, sql: psycopg.Connection
) -> None:
    process = holder(database)
    try:
        process.send_signal(signal.SIGSTOP)
        (old,) = epochs(sql)
        async with held(database) as lease:
            assert epochs(sql) == [lease.epoch] != [old]
            process.send_signal(signal.SIGCONT)
            assert await asyncio.to_thread(process.wait, 30) == 7  # what its program makes of it
            assert epochs(sql) == [lease.epoch]
    finally:
        process.send_signal(signal.SIGCONT)
        stop(process)


async def test_a_transaction_of_a_frozen_referee_keeps_nobody_out(
    database: str, sql: psycopg.Connection
) -> None:
    sql.execute("INSERT INTO leases (process) VALUES ('elsewhere 1 1')")
    with psycopg.connect(plain(database)) as frozen:
        frozen.execute("SELECT require_lease((SELECT max(epoch) FROM leases))")
        async with asyncio.timeout(3 * LEASE_SECONDS), held(database):
            with pytest.raises(psycopg.OperationalError):
                frozen.execute("SELECT")


async def test_no_connection_is_needed_to_stay_the_referee(
    database: str, sql: psycopg.Connection
) -> None:
    async with held(database) as lease:
        name = database.rpartition("/")[2].partition("?")[0]
        for _ in range(3):
            execute(
                named(database, "postgres"),
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                f"WHERE datname = '{name}' AND pid <> {sql.info.backend_pid}",
            )
            with pytest.raises(AnotherRefereeError):
                async with held(database):
                    pytest.fail("a second referee came in")
        assert epochs(sql) == [lease.epoch]


async def test_a_database_that_was_away_costs_no_lease(database: str) -> None:
    async with held(database) as lease:
        with unreachable(database):
            await asyncio.sleep(2.5)  # two renewals fail
        with pytest.raises(AnotherRefereeError):
            async with held(database):
                pytest.fail("a second referee came in")
        with psycopg.connect(database.replace("+psycopg", "")) as connection:
            assert epochs(connection) == [lease.epoch]


@pytest.mark.parametrize("moved", ["- interval '1 day'", "+ interval '1 day'"])
async def test_a_clock_that_is_moved_lets_nobody_in_and_keeps_nobody_out(
    database: str, sql: psycopg.Connection, moved: str
) -> None:
    def move() -> None:
        sql.execute(
            f"UPDATE leases SET renewed_at = now() {moved}, taken_at = now() {moved}".encode()
        )

    async with held(database):
        move()
        with pytest.raises(AnotherRefereeError):
            async with held(database):
                pytest.fail("a second referee came in")
    # One of another machine, of which nothing is known but that it stands still.
    sql.execute("UPDATE leases SET released_at = NULL, process = 'elsewhere 1 1'")
    move()
    async with asyncio.timeout(3 * LEASE_SECONDS), held(database):
        pass


async def test_two_that_start_together_do_not_both_become_the_referee(database: str) -> None:
    outcomes: list[str] = []

    async def start() -> None:
        try:
            async with held(database):
                outcomes.append("in")
                await asyncio.sleep(LEASE_SECONDS)
        except AnotherRefereeError:
            outcomes.append("refused")

    async with asyncio.timeout(60):
        await asyncio.gather(*(start() for _ in range(3)))
    assert sorted(outcomes) == ["in", "refused", "refused"]


async def test_referees_of_two_databases_do_not_disturb_each_other(
    database: str, other_database: str
) -> None:
    async with held(database), held(other_database):
        pass


async def test_a_database_that_does_not_answer_is_told() -> None:
    with pytest.raises(DatabaseUnreachableError, match="The database does not answer"):
        async with held("postgresql+psycopg://me@127.0.0.1:1/arena"):
            pytest.fail("there was no database")


async def test_an_arena_whose_lease_is_taken_stops_with_a_sentence(
    database: str, sql: psycopg.Connection
) -> None:
    async def run() -> None:
        async with asyncio.timeout(30), running_arena(database, "127.0.0.1", 0, []):
            sql.execute("DELETE FROM leases")
            await asyncio.Event().wait()

    with pytest.raises(ExceptionGroup) as raised:
        await run()
    (error,) = raised.value.exceptions
    assert isinstance(error, LeaseTakenError)
    assert error.exit_code == 3


def test_a_process_is_known_by_more_than_its_number() -> None:
    own = own_identity()
    assert not has_ended(own)
    assert has_ended(f"{own}0")  # the same number, started at another time
    assert not has_ended(f"another-boot {own}")
    assert not has_ended("")
