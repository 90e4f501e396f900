"""One transaction, and what the driver says when it fails in this package's own words."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.storage.errors import DatabaseUnreachableError, LeaseTakenError, RecordRefusedError

_LEASE_TAKEN = "AR001"
"""What `require_lease` raises, see the migration 0005."""


@asynccontextmanager
async def transaction(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """Commits at the end of the block, or changes nothing.

    Raises DatabaseUnreachableError, RecordRefusedError and LeaseTakenError.
    """
    try:
        async with engine.begin() as connection:
            yield connection
    except (DBAPIError, psycopg.Error, PoolTimeoutError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if isinstance(cause, psycopg.Error) and cause.sqlstate == _LEASE_TAKEN:
            raise LeaseTakenError(
                "Another referee has taken over from this one, which did not renew its lease: "
                "this one has stopped and written nothing more."
            ) from error
        reason = str(cause).strip().split("\n", 1)[0]
        if isinstance(cause, psycopg.IntegrityError | psycopg.DataError):
            raise RecordRefusedError(f"The database refuses this: {reason}.") from error
        if isinstance(cause, psycopg.ProgrammingError):
            raise  # a bug of ours
        # All else may pass: no answer, no free connection, a server that only reads for a while.
        raise DatabaseUnreachableError(
            f"The database does not answer ({reason}): see that it runs."
        ) from error


async def driver_of(connection: AsyncConnection) -> psycopg.AsyncConnection[Any]:
    """The connection beneath SQLAlchemy's, in the same transaction."""
    driver = (await connection.get_raw_connection()).driver_connection
    assert isinstance(driver, psycopg.AsyncConnection)
    return driver
