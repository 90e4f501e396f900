"""Database transactions that raise this package's errors instead of the driver's."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from sqlalchemy import Executable, Row, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.advisory_locks import AdvisoryLock
from arena.database.connecting import LONG_SECONDS, ImpatientAsyncConnection
from arena.database.driver_errors import cause_of, refused_or_unreachable
from arena.database.roles import READER_ROLE
from arena.database.viewing import viewer_setting


@asynccontextmanager
async def transaction(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """Run a transaction that commits at the end of the block, or changes nothing.

    Raises DatabaseUnreachableError, RecordRefusedError and LeaseTakenError.
    """
    try:
        async with engine.begin() as connection:
            yield connection
    except (DBAPIError, psycopg.Error, PoolTimeoutError) as error:
        if isinstance(cause_of(error), psycopg.ProgrammingError):
            raise  # a bug of ours
        raise refused_or_unreachable(error) from error


async def fetched(engine: AsyncEngine, statement: Executable) -> Sequence[Row[Any]]:
    """Return the rows of a statement, run in its own transaction.

    Raises what `transaction` does.
    """
    async with transaction(engine) as connection:
        return (await connection.execute(statement)).all()


@asynccontextmanager
async def viewing(engine: AsyncEngine, viewer: int | None) -> AsyncIterator[AsyncConnection]:
    """Run a read-only transaction that sees only what the owner `viewer` may see.

    With None it sees only what everybody may see. Raises DatabaseUnreachableError.
    """
    async with transaction(engine) as connection:
        await connection.execute(text(f"SET LOCAL ROLE {READER_ROLE}"))
        if viewer is not None:
            await connection.execute(viewer_setting(viewer))
        yield connection


@asynccontextmanager
async def alone(engine: AsyncEngine, lock: AdvisoryLock, number: int) -> AsyncIterator[bool]:
    """Hold lock `number` of a class of locks over several transactions; yield False if it is taken.

    The database frees the lock if the process dies. Raises DatabaseUnreachableError.
    """
    key = (lock.value, number)
    try:
        async with engine.connect() as connection:
            # Not in a transaction, because Postgres ends idle transactions.
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            got = bool(await connection.scalar(select(func.pg_try_advisory_lock(*key))))
            try:
                yield got
            finally:
                if got:
                    await connection.execute(select(func.pg_advisory_unlock(*key)))
    except (DBAPIError, psycopg.Error, PoolTimeoutError) as error:
        raise refused_or_unreachable(error) from error


async def driver_of(connection: AsyncConnection) -> psycopg.AsyncConnection[Any]:
    """Return the driver's connection that SQLAlchemy's wraps, in the same transaction."""
    driver = (await connection.get_raw_connection()).driver_connection
    assert isinstance(driver, psycopg.AsyncConnection)
    return driver


async def take_long(connection: AsyncConnection, *, idle: bool = False) -> None:
    """Raise the time limits of this transaction to LONG_SECONDS, as for counting a large database.

    With `idle`, the limit of pauses between its statements, too.
    """
    driver = await driver_of(connection)
    if idle:
        timeout = f"SET LOCAL idle_in_transaction_session_timeout = '{LONG_SECONDS:.0f}s'"
        await driver.execute(timeout.encode())
    await driver.execute(f"SET LOCAL statement_timeout = '{LONG_SECONDS:.0f}s'".encode())
    if isinstance(driver, ImpatientAsyncConnection):
        driver.silence_seconds = LONG_SECONDS  # until the connection is back in its pool
