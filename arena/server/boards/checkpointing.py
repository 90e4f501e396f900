"""A program that writes checkpoints of all ladders while matches are played.

python -m arena.server.boards.checkpointing       its input is the database's address, a secret

The referee starts this program when there are enough results since the last checkpoints
(`checkpoint_keeper`), and `arena check-boards --write` does the same. One process writes at a time;
others that start in the meantime write nothing.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, func, select

from arena.database.advisory_locks import AdvisoryLock
from arena.database.engine import asking_engine
from arena.database.reading import ColumnReader, open_reader, storage_errors
from arena.match.clock import TimeControl
from arena.rating.ladder_id import LadderId
from arena.server.boards import checkpoints, ladder_statements
from arena.server.boards.board import table_sizes
from arena.server.boards.checkpoint import Checkpoint, pack
from arena.server.boards.checkpoint_keeper import ENOUGH_EVENTS
from arena.server.boards.ladder_log import read_board, registered


def played_ladders(read: ColumnReader) -> list[LadderId]:
    """Return the ladders on which matches were played."""
    return _ladders(read(ladder_statements.ladders()))


def _ladders(rows: Sequence[Any]) -> list[LadderId]:
    """Return the ladders of rows of `ladders`, each once."""
    found: dict[LadderId, None] = {}
    for row in rows:
        control = TimeControl(row.turn_ms, row.bank_ms)
        sizes = table_sizes(row.seat_count)
        found[LadderId.of(row.game, row.options, sizes, time_control=control)] = None
    return list(found)


def write_checkpoints(url: str, fewest: int = 1) -> list[LadderId]:
    """Update the checkpoints that are `fewest` or more rating events behind the log.

    Returns the ladders that were written: those with new results. The checkpoints of the others
    only move on to the end of the log. Returns nothing while another process writes. Raises
    StorageError.
    """
    with _alone(url) as connection, open_reader(url) as read:
        if connection is None:
            return []
        (end,) = read(ladder_statements.log_end())
        if not end.sequence:
            return []
        known = {one: _sequence(connection, one, end.revision) for one in played_ladders(read)}
        behind = {
            ladder: sequence
            for ladder, sequence in known.items()
            if sequence is not None and end.sequence - sequence >= fewest
        }
        written = [ladder for ladder, sequence in known.items() if sequence is None]
        if behind:
            since = ladder_statements.ladders_with_results(min(behind.values()), end.sequence)
            written += [ladder for ladder in _ladders(read(since)) if ladder in behind]
        for ladder in written:
            write(connection, ladder, current(read, ladder))
        for ladder in behind.keys() - set(written):
            _move_on(connection, ladder, end.revision, end.sequence)
        return written


def current(read: ColumnReader, ladder: LadderId) -> Checkpoint:
    """Return a ladder's current board, to be stored."""
    (end,) = read(ladder_statements.log_end())
    board, _ = read_board(read, ladder, end.revision, end.sequence)
    if len(board):
        board.fit(registered(read, board.aggregate.bots))
    return Checkpoint(end.revision, end.sequence, pack(board))


def write(connection: Connection, ladder: LadderId, found: Checkpoint) -> None:
    """Write a checkpoint unless there is a newer one or the log has changed since."""
    of = (ladder, found.revision, found.sequence)
    connection.execute(checkpoints.write_checkpoint(*of, found.data))
    connection.commit()


@contextmanager
def _alone(url: str) -> Iterator[Connection | None]:
    """Open a connection with the lock for writing; yield None if another process holds the lock."""
    engine = asking_engine(url)
    try:
        with storage_errors(), engine.connect() as connection:
            lock = func.pg_try_advisory_lock(AdvisoryLock.CHECKPOINTS.value)
            taken = connection.scalar(select(lock))
            connection.commit()
            yield connection if taken else None
    finally:
        engine.dispose()  # this also releases the lock


def _sequence(connection: Connection, ladder: LadderId, revision: int) -> int | None:
    """Return the last rating event in a ladder's checkpoint; None without a checkpoint."""
    found = checkpoints.checkpoint_sequence(ladder, revision)
    sequence: int | None = connection.scalar(found)
    connection.commit()
    return sequence


def _move_on(connection: Connection, ladder: LadderId, revision: int, sequence: int) -> None:
    """Move a ladder's checkpoint on to a later rating event."""
    connection.execute(checkpoints.move_on(ladder, revision, sequence))
    connection.commit()


if __name__ == "__main__":
    write_checkpoints(sys.stdin.read(), ENOUGH_EVENTS)
