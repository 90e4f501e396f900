"""`Reader`: runs single read statements for boards, pages and commands, as a read-only role."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import psycopg
from sqlalchemy.exc import DBAPIError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from arena.storage.engine import reading_engine
from arena.storage.errors import StorageError
from arena.storage.statements import Row
from arena.storage.transaction import refused_or_unreachable

Read: TypeAlias = Callable[[Row], Sequence[Any]]
"""Runs a statement and returns its rows. Raises StorageError."""


class Reader:
    """A pool of read-only connections. Threads may share it; `close` closes them."""

    def __init__(self, url: str) -> None:
        self._engine = reading_engine(url)

    def __call__(self, statement: Row) -> Sequence[Any]:
        """The rows of a statement. Raises StorageError."""
        with storage_errors(), self._engine.connect() as connection:
            return connection.execute(statement).all()

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


@contextmanager
def storage_errors() -> Iterator[None]:
    """Raises StorageError for the driver's errors in the block."""
    try:
        yield
    except (DBAPIError, psycopg.Error, PoolTimeoutError) as error:
        if isinstance(error, ProgrammingError):
            reason = str(error.orig).strip().split("\n", 1)[0]
            raise StorageError(
                f"The database is not of this release ({reason}): start the arena, which "
                "brings it up to date."
            ) from error
        raise refused_or_unreachable(error) from error


@contextmanager
def open_reader(url: str) -> Iterator[Reader]:
    """A reader, as a context manager that closes it."""
    reader = Reader(url)
    try:
        yield reader
    finally:
        reader.close()
