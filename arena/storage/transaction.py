"""`transaction`: a database transaction that raises this package's errors for the driver's."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.storage.connecting import LONG_SECONDS, ImpatientAsyncConnection
from arena.storage.errors import DatabaseUnreachableError, RecordRefusedError


@asynccontextmanager
async def transaction(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A transaction: commits at the end of the block, or changes nothing.

    Raises DatabaseUnreachableError and RecordRefusedError.
    """
    try:
        async with engine.begin() as connection:
            yield connection
    except (DBAPIError, psycopg.Error, PoolTimeoutError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        reason = str(cause).strip().split("\n", 1)[0]
        if isinstance(cause, psycopg.IntegrityError | psycopg.DataError):
            raise RecordRefusedError(f"The database refuses this: {reason}.") from error
        if isinstance(cause, psycopg.ProgrammingError):
            raise  # a bug of ours
        # Other errors may be temporary: no answer, no free connection, a read-only server.
        raise DatabaseUnreachableError(
            f"The database does not answer ({reason}): check that it is running."
        ) from error


async def driver_of(connection: AsyncConnection) -> psycopg.AsyncConnection[Any]:
    """The driver's connection under SQLAlchemy's, in the same transaction."""
    driver = (await connection.get_raw_connection()).driver_connection
    assert isinstance(driver, psycopg.AsyncConnection)
    return driver


async def take_long(connection: AsyncConnection) -> None:
    """Let the rest of this transaction take as long as counting a large database does."""
    driver = await driver_of(connection)
    await driver.execute(f"SET LOCAL statement_timeout = '{LONG_SECONDS:.0f}s'".encode())
    if isinstance(driver, ImpatientAsyncConnection):
        driver.silence_seconds = LONG_SECONDS  # until the connection is back in its pool
