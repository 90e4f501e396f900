"""A connection outside the pool, for frequent writes (many a second).

A write costs a fraction of a pooled transaction: the connection is not pinged before use, and each
statement is a transaction.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg

from arena.database.connecting import connect
from arena.database.driver_errors import refused_or_unreachable


class OwnConnection:
    """A connection made on first use, and again after a loss. For one task at a time."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: psycopg.AsyncConnection[Any] | None = None

    @asynccontextmanager
    async def use(self) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        """Yield the connection, which commits each statement.

        Raises DatabaseUnreachableError, RecordRefusedError and LeaseTakenError.
        """
        try:
            if self._connection is None:
                self._connection = await connect(self._url)
            yield self._connection
        except BaseException as error:
            await self.close()  # its state is unknown
            if isinstance(error, psycopg.Error) and not isinstance(error, psycopg.ProgrammingError):
                raise refused_or_unreachable(error) from error
            raise

    async def close(self) -> None:
        """Close the connection, if it is open."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()
