"""The messages to visitors when the database cannot be read."""

from arena.database.errors import DatabaseUnreachableError, StorageError


def why_nothing_is_read(error: StorageError) -> str:
    """Return a sentence for the page that says why nothing can be read."""
    if isinstance(error, DatabaseUnreachableError):
        # Its reason names sockets and addresses, which do not concern a visitor.
        return "The database does not answer: check that it is running."
    return str(error)
