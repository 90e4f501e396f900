"""Records put into a spool as a newer release, or a damaged disk, would leave them."""

import sqlite3
from contextlib import closing
from pathlib import Path


def add_record(file: Path, content: bytes) -> None:
    """Add a record of any content to a spool."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("INSERT INTO records (content) VALUES (?)", (content,))
