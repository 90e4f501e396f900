"""A reader that returns the rows it read last while the database is away."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.dialects import postgresql

from arena.database.errors import DatabaseUnreachableError
from arena.database.reading import ColumnReader
from arena.database.statement import Row
from arena.database.viewing import viewer_of

MOST_STATEMENTS: Final = 500
"""The most statements whose rows are remembered; those used longest ago are forgotten."""
MOST_ROWS: Final = 2_000
"""The most rows that are remembered of a statement; a page shows far fewer."""
MOST_BYTES: Final = 1_000_000
"""The largest value that is remembered."""
RETRY_SECONDS: Final = 3.0
"""The seconds for which a database that did not answer is not asked again."""

_DIALECT: Final = postgresql.dialect()  # type: ignore[no-untyped-call]


class RememberingReader:
    """A reader that runs statements, and answers from memory while the database is away.

    Threads may share it.
    """

    def __init__(
        self,
        read: ColumnReader,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read
        self._now = now
        self._clock = clock
        self._lock = Lock()
        self._known: OrderedDict[Hashable, Sequence[Any]] = OrderedDict()
        self._away: DatabaseUnreachableError | None = None
        self._asked_again_at = -float("inf")
        self._answered_at: datetime | None = None

    @property
    def as_of(self) -> datetime | None:
        """The time of the last answer of the database if it is away; None while it answers."""
        return self._answered_at if self._away is not None else None

    def __call__(self, statement: Row) -> Sequence[Any]:
        """Return the rows of a statement.

        Raises StorageError; while the database is away, only if the rows are not remembered.
        """
        key = _key(statement)
        away = self._away
        if away is not None and self._clock() < self._asked_again_at:
            return self._from_memory(key, away)
        try:
            rows = self._read(statement)
        except DatabaseUnreachableError as error:
            self._away = error
            self._asked_again_at = self._clock() + RETRY_SECONDS
            return self._from_memory(key, error)
        self._away = None
        self._answered_at = self._now()
        with self._lock:
            self._known.pop(key, None)
            if len(rows) <= MOST_ROWS and not _large(rows):
                self._known[key] = rows
            if len(self._known) > MOST_STATEMENTS:
                self._known.popitem(last=False)
        return rows

    def once(self, statement: Row) -> Sequence[Any]:
        """Return the rows of a statement; they are not remembered. Raises StorageError."""
        return self._read(statement)

    def columns(self, statement: Row, row: np.dtype[np.void]) -> NDArray[Any]:
        """Return the rows as `ColumnReader.columns` does; they are not remembered."""
        return self._read.columns(statement, row)

    def _from_memory(self, key: Hashable, error: DatabaseUnreachableError) -> Sequence[Any]:
        with self._lock:
            remembered = self._known.get(key)
        if remembered is None:
            raise error
        return remembered


def _large(rows: Sequence[Any]) -> bool:
    """Return whether one of the first row's values is large, as a checkpoint is."""
    first = rows[0] if rows and isinstance(rows[0], Sequence) else ()
    return any(isinstance(value, bytes | memoryview) and len(value) > MOST_BYTES for value in first)


def _key(statement: Row) -> Hashable:
    # SQLAlchemy's own key of a statement, by which it finds the compiled form: compiling the
    # statement here would cost seven times as much.
    key, viewer = statement._generate_cache_key(), viewer_of(statement)
    if key is None:
        compiled = statement.compile(dialect=_DIALECT)
        return viewer, str(compiled), repr(compiled.params)
    return viewer, key.key, repr([one.effective_value for one in key.bindparams])
