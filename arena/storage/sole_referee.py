"""A lock for one referee per database: a second one would void the first one's blocks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg

from arena.storage.errors import AnotherRefereeError, DatabaseUnreachableError

_LOCK = 7_236_403
"""The lock's number, arbitrary. A connection holds it, so it is free once its referee is gone."""


@asynccontextmanager
async def sole_referee(url: str) -> AsyncIterator[None]:
    """Holds the lock while the block runs.

    Raises AnotherRefereeError and DatabaseUnreachableError.
    """
    try:
        connection = await psycopg.AsyncConnection.connect(
            url.replace("+psycopg", "", 1), autocommit=True
        )
    except psycopg.OperationalError as error:
        raise DatabaseUnreachableError(
            f"The database does not answer ({str(error).strip()}): check that it is running."
        ) from error
    async with connection:
        cursor = await connection.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
        row = await cursor.fetchone()
        if row is None or not row[0]:
            raise AnotherRefereeError(
                "Another referee runs on this database: stop it, or use a database of its own."
            )
        yield
