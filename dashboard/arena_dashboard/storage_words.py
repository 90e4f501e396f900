"""What visitors are told when the database cannot be read."""

from arena.database.errors import DatabaseUnreachableError, StorageError


def why_nothing_is_read(error: StorageError) -> str:
    """Return a sentence for the page."""
    if isinstance(error, DatabaseUnreachableError):
        # Its reason names sockets and addresses, which are none of a visitor's business.
        return "The database does not answer: check that it is running."
    return str(error)
