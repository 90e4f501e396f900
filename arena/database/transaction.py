"""Database transactions that raise this package's errors instead of the driver's."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.connecting import LONG_SECONDS, ImpatientAsyncConnection
from arena.database.driver_errors import cause_of, refused_or_unreachable


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


async def driver_of(connection: AsyncConnection) -> psycopg.AsyncConnection[Any]:
    """Return the driver's connection under SQLAlchemy's, in the same transaction."""
    driver = (await connection.get_raw_connection()).driver_connection
    assert isinstance(driver, psycopg.AsyncConnection)
    return driver


async def take_long(connection: AsyncConnection) -> None:
    """Let the rest of this transaction take as long as counting a large database does."""
    driver = await driver_of(connection)
    await driver.execute(f"SET LOCAL statement_timeout = '{LONG_SECONDS:.0f}s'".encode())
    if isinstance(driver, ImpatientAsyncConnection):
        driver.silence_seconds = LONG_SECONDS  # until the connection is back in its pool
