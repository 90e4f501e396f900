"""Several referees on a database, each under a lease: every way to lose it, and what is no way."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import NoneType

import psycopg
import pytest

from arena.database.async_engine import async_engine
from arena.database.errors import DatabaseUnreachableError, LeaseTakenError, NoAddressError
from arena.database.process_identity import has_ended, own_identity
from arena.processes import spawn, stop
from arena.server.app.assembly import running_arena
from arena.server.app.referee_settings import RefereeSettings
from arena.server.failover.lease import RENEW_SECONDS, Lease, held_lease
from arena.server.failover.lease_monitor import STILL_SECONDS
from tests.bots import PATIENCE
from tests.databases import administrator, execute, named, plain, unreachable

# Most wait until a lease has run out.
pytestmark = [pytest.mark.slow]


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
    process = spawn(
        [sys.executable, "-m", "tests.server.failover.holder", url], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert b"holding" in process.stdout.readline()
    return process


def epochs(sql: psycopg.Connection) -> list[int]:
    return [row[0] for row in sql.execute("SELECT epoch FROM leases ORDER BY epoch")]


async def inherits(lease: Lease, *epochs: int) -> None:
    """Wait until it has taken over from these."""
    while not lease.inherited.issuperset(epochs):
        await lease.changed.wait()
        lease.changed.clear()


async def test_referees_run_beside_each_other_and_the_oldest_is_the_senior(
    database: str, sql: psycopg.Connection
) -> None:
    async with held(database) as first, held(database) as second:
        assert (first.senior, second.senior) == (True, False)
        await asyncio.sleep(STILL_SECONDS + 1)
        assert epochs(sql) == [first.epoch, second.epoch]
        assert (first.inherited, second.inherited) == (frozenset(), frozenset())


async def test_every_referee_knows_the_addresses_of_all(database: str) -> None:
    async with held(database) as first, held(database) as second:
        seen: list[tuple[str, ...]] = []
        known = asyncio.Event()

        def changed() -> None:
            seen.append(first.addresses)
            if len(first.addresses) == 2:
                known.set()

        first.on_referees = changed
        await second.announce("second:1")
        await first.announce("first:1")
        async with asyncio.timeout(PATIENCE):
            await known.wait()
        assert seen[-1] == ("first:1", "second:1")


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is taken for dead for standing still: whoever learns of an end was told of it."""
    monkeypatch.setattr("arena.server.failover.lease_monitor.STILL_SECONDS", 10 * PATIENCE)


@asynccontextmanager
async def listening(lease: Lease, url: str) -> AsyncIterator[None]:
    """Hears of other referees at once, as a referee does."""
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(lease.listen(url))
        yield
        task.cancel()


async def test_of_two_without_address_that_start_together_the_younger_alone_does_not(
    database: str,
) -> None:
    async with held(database) as older, held(database) as younger:
        told = await asyncio.gather(younger.announce(), older.announce(), return_exceptions=True)
        assert [type(one) for one in told] == [NoAddressError, NoneType]


async def test_a_referee_hears_of_an_address_at_once(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with held(database) as first, listening(first, database), held(database) as second:
        known = asyncio.Event()
        first.on_referees = known.set
        await asyncio.sleep(1)
        monkeypatch.setattr("arena.server.failover.lease.RENEW_SECONDS", 60.0)
        await asyncio.sleep(1)
        await second.announce("second:1")
        async with asyncio.timeout(PATIENCE):
            await known.wait()
        assert first.addresses == ("second:1",)


async def test_news_do_not_make_a_referee_renew_all_the_time(
    database: str, sql: psycopg.Connection
) -> None:
    async with held(database) as first, listening(first, database):
        await asyncio.sleep(1)
        await first.announce("first:1")
        await asyncio.sleep(0.5)
        renewals = "SELECT renewals FROM leases"
        before = next(sql.execute(renewals))[0]
        began = asyncio.get_running_loop().time()
        await asyncio.sleep(2)
        after = next(sql.execute(renewals))[0]
        seconds = asyncio.get_running_loop().time() - began
        assert 0 < after - before <= 2 * seconds / RENEW_SECONDS


@pytest.mark.usefixtures("patient")
async def test_what_a_referee_leaves_in_order_goes_to_the_next_at_once(
    database: str, sql: psycopg.Connection
) -> None:
    async with held(database) as heir_of_none:
        async with held(database) as last:
            pass
        async with asyncio.timeout(PATIENCE):
            await inherits(heir_of_none, last.epoch)
        assert epochs(sql) == [heir_of_none.epoch]


@pytest.mark.usefixtures("patient")
async def test_the_senior_of_those_that_live_on_takes_over_from_a_dead_one(database: str) -> None:
    process = holder(database)
    async with held(database) as second, held(database) as third:
        assert not second.senior
        process.send_signal(signal.SIGKILL)
        async with asyncio.timeout(PATIENCE):
            await inherits(second, *(second.running - {second.epoch, third.epoch}))
        assert second.senior
        assert third.inherited == frozenset()
    process.wait()


@pytest.mark.usefixtures("patient")
async def test_a_referee_may_start_at_once_when_the_one_before_has_stopped(database: str) -> None:
    seen = []
    for _ in range(3):
        async with asyncio.timeout(PATIENCE), held(database) as lease:
            seen.append(lease.epoch)
    assert seen == sorted(set(seen))


async def test_a_referee_inherits_spools_from_the_one_before_and_from_one_that_never_played(
    database: str, sql: psycopg.Connection
) -> None:
    async with held(database) as first:
        assert first.inherited == set()
    async with held(database) as second:
        assert second.inherited == {first.epoch}
    async with held(database) as third:
        assert third.inherited == {first.epoch, second.epoch}
        await third.settle(third.inherited)
        assert third.inherited == set()
    async with held(database) as fourth:
        assert fourth.inherited == {third.epoch}


@pytest.mark.usefixtures("patient")
async def test_a_referee_that_was_killed_is_known_to_be_dead_and_replaced_at_once(
    database: str,
) -> None:
    process = holder(database)
    process.send_signal(signal.SIGKILL)
    # Not reaped yet: a zombie is dead, too.
    async with asyncio.timeout(PATIENCE), held(database):
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
            async with asyncio.timeout(PATIENCE):
                await inherits(lease, old)
            assert epochs(sql) == [lease.epoch] != [old]
            process.send_signal(signal.SIGCONT)
            assert await asyncio.to_thread(process.wait, 30) == 7  # what its program makes of it
            assert epochs(sql) == [lease.epoch]
    finally:
        process.send_signal(signal.SIGCONT)
        stop(process)


async def test_a_transaction_of_a_frozen_referee_keeps_nobody_out_and_ends_no_other(
    database: str, sql: psycopg.Connection
) -> None:
    sql.execute("INSERT INTO leases (process) VALUES ('elsewhere 1 1')")
    (old,) = epochs(sql)
    async with held(database) as lease:
        with psycopg.connect(plain(database)) as frozen, psycopg.connect(plain(database)) as other:
            frozen.execute("SELECT require_lease(%s)", [old])
            other.execute("SELECT require_lease(%s)", [lease.epoch])
            async with asyncio.timeout(PATIENCE):
                await inherits(lease, old)
            with pytest.raises(psycopg.OperationalError):
                frozen.execute("SELECT")
            other.execute("SELECT")


async def test_no_connection_is_needed_to_stay_a_referee(
    database: str, sql: psycopg.Connection
) -> None:
    async with held(database) as lease, held(database) as watcher:
        name = database.rpartition("/")[2].partition("?")[0]
        for _ in range(3):
            execute(
                administrator(named(database, "postgres")),
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                f"WHERE datname = '{name}' AND pid <> {sql.info.backend_pid}",
            )
            await asyncio.sleep(0.5)
        assert epochs(sql) == [lease.epoch, watcher.epoch]


async def test_a_database_that_was_away_for_all_costs_nobody_its_lease(database: str) -> None:
    async with held(database) as lease, held(database) as watcher:
        with unreachable(database):
            await asyncio.sleep(2 * STILL_SECONDS)
        await asyncio.sleep(1.5)
        with psycopg.connect(database.replace("+psycopg", "")) as connection:
            assert epochs(connection) == [lease.epoch, watcher.epoch]


@pytest.mark.parametrize("moved", ["- interval '1 day'", "+ interval '1 day'"])
async def test_a_clock_that_is_moved_costs_no_lease_and_saves_none(
    database: str, sql: psycopg.Connection, moved: str
) -> None:
    def move() -> None:
        sql.execute(
            f"UPDATE leases SET renewed_at = now() {moved}, taken_at = now() {moved}".encode()
        )

    async with held(database) as lease:
        # One of another machine, of which nothing is known but that it stands still.
        sql.execute("INSERT INTO leases (process) VALUES ('elsewhere 1 1')")
        (_, still) = epochs(sql)
        move()
        async with held(database) as other:
            move()
            async with asyncio.timeout(PATIENCE):
                await inherits(lease, still)
            move()
            await asyncio.sleep(1)
            assert epochs(sql) == [lease.epoch, other.epoch]


async def test_of_several_that_start_together_one_inherits(
    database: str, sql: psycopg.Connection
) -> None:
    async with held(database) as first:
        pass
    inherited: list[frozenset[int]] = []
    together = asyncio.Barrier(3)

    async def start() -> None:
        async with held(database) as lease:
            await together.wait()
            await lease.look()
            inherited.append(lease.inherited)
            await together.wait()  # who ends leaves what it has inherited to another

    async with asyncio.timeout(2 * PATIENCE):
        await asyncio.gather(*(start() for _ in range(3)))
    assert sorted(len(one & {first.epoch}) for one in inherited) == [0, 0, 1]


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
        async with asyncio.timeout(PATIENCE), running_arena(database, RefereeSettings()):
            sql.execute("DELETE FROM leases")
            await asyncio.Event().wait()

    with pytest.raises(ExceptionGroup) as raised:
        await run()
    error: BaseException = raised.value
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, LeaseTakenError)
    assert error.exit_code == 3


def test_a_process_is_known_by_more_than_its_number() -> None:
    own = own_identity()
    assert not has_ended(own)
    assert has_ended(f"{own}0")  # the same number, started at another time
    assert not has_ended(f"another-boot {own}")
    assert not has_ended("")
