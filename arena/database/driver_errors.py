"""The translation of the driver's errors into this package's errors."""

import psycopg
from sqlalchemy.exc import DBAPIError

from arena.database.errors import (
    DatabaseUnreachableError,
    LeaseTakenError,
    RecordRefusedError,
    StorageError,
)

_LEASE_TAKEN = "AR001"
"""The SQLSTATE that `require_lease` raises, see the migration 0005."""


def cause_of(error: Exception) -> BaseException | None:
    """Return the driver's error that SQLAlchemy's error wraps."""
    return error.orig if isinstance(error, DBAPIError) else error


def refused_or_unreachable(error: Exception) -> StorageError:
    """Return this package's error for a driver's error: lost lease, wrong values, or no answer."""
    cause = cause_of(error)
    if isinstance(cause, psycopg.Error) and cause.sqlstate == _LEASE_TAKEN:
        return LeaseTakenError(
            "Another referee has taken over this one's matches, because its lease had expired."
        )
    reason = str(cause).strip().split("\n", 1)[0]
    if isinstance(cause, psycopg.IntegrityError | psycopg.DataError):
        return RecordRefusedError(f"The database refuses this: {reason}.")
    # Other errors may be temporary: no answer, no free connection, a read-only server.
    return DatabaseUnreachableError(
        f"The database does not answer ({reason}): check that it is running."
    )
