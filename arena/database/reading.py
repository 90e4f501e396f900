"""`Reader`, which runs single read statements for boards, pages and commands.

Its role has few rights and is read-only.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

import psycopg
from sqlalchemy import ColumnElement, func, literal_column, select
from sqlalchemy.exc import DBAPIError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from arena.database.connecting import LONG_SECONDS, ImpatientConnection
from arena.database.driver_errors import refused_or_unreachable
from arena.database.engine import reading_engine
from arena.database.errors import StorageError
from arena.database.statement import Row
from arena.database.viewing import viewer_of, viewer_setting

Read: TypeAlias = Callable[[Row], Sequence[Any]]
"""A function that runs a statement and returns its rows. Raises StorageError."""

# NumPy is loaded only when columns are read.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CHUNK_BITS: Final = 17
"""Rows are packed together if the first column differs only in this many low bits."""
_SENT: Final = {
    ">i2": "int2send",
    ">i4": "int4send",
    ">i8": "int8send",
    ">f8": "float8send",
    "|V16": "uuid_send",
}
"""The Postgres function that turns a column into bytes, by NumPy's type."""
_NOTHING: Final[ColumnElement[bytes]] = literal_column("''::bytea")


class ColumnReader(Protocol):
    """A function that runs read statements, with a few rows or a million.

    Raises StorageError.
    """

    def __call__(self, statement: Row, /) -> Sequence[Any]:
        """Return the rows of a statement."""
        ...

    def columns(self, statement: Row, row: "np.dtype[np.void]") -> "NDArray[Any]":
        """Return the rows of a statement as an array of records of type `row`.

        `row` names the statement's columns and their types: big-endian numbers, or 16 bytes for an
        id. No value may be null.
        """
        ...


class Reader:
    """A pool of read-only connections. Threads may share it; `close` closes them."""

    def __init__(self, url: str) -> None:
        self._engine = reading_engine(url)

    def __call__(self, statement: Row) -> Sequence[Any]:
        """Return the rows of a statement. Raises StorageError."""
        with storage_errors(), self._engine.connect() as connection:
            if (viewer := viewer_of(statement)) is not None:
                connection.execute(viewer_setting(viewer))
            return connection.execute(statement).all()

    def columns(self, statement: Row, row: "np.dtype[np.void]") -> "NDArray[Any]":
        """Return the rows of a statement as an array, see `ColumnReader.columns`.

        Postgres packs the columns of thousands of rows into byte strings, which costs a fraction of
        reading row by row.
        """
        import numpy as np

        assert row.names is not None and row.fields is not None
        kinds = {name: row.fields[name][0] for name in row.names}
        given = statement.subquery()
        packed = select(
            *(
                func.string_agg(getattr(func, _SENT[kinds[name].str])(given.c[name]), _NOTHING)
                for name in row.names
            )
        ).group_by(given.c[row.names[0]].op(">>")(literal_column(str(_CHUNK_BITS))))
        with storage_errors(), self._engine.connect() as connection:
            driver = connection.connection.driver_connection
            assert isinstance(driver, ImpatientConnection)
            driver.silence_seconds = LONG_SECONDS  # until the connection is back in its pool
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = '{LONG_SECONDS:.0f}s'")
            streamed = connection.execution_options(
                stream_results=True, max_row_buffer=1, binary=True
            )
            parts = []
            for chunk in streamed.execute(packed):
                part = np.empty(len(chunk[0]) // kinds[row.names[0]].itemsize, row)
                for name, content in zip(row.names, chunk, strict=True):
                    part[name] = np.frombuffer(content, kinds[name])
                parts.append(part)
        return np.concatenate(parts) if parts else np.empty(0, row)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


@contextmanager
def storage_errors() -> Iterator[None]:
    """Convert the driver's errors in the block into StorageError."""
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
    """Yield a reader, and close it at the end of the block."""
    reader = Reader(url)
    try:
        yield reader
    finally:
        reader.close()
