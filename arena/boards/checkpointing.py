"""Writes checkpoints of all ladders, beside play.

python -m arena.boards.checkpointing       the database's address, which is secret, is its input

The referee starts this program when enough results have come since the last checkpoints
(`checkpoint_keeper`), and `arena check-boards --write` does the same. One at a time writes; whoever
comes meanwhile leaves it to the other.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, func, select

from arena.boards.board import table_sizes
from arena.boards.checkpoint import Checkpoint, edition, pack
from arena.boards.checkpoint_keeper import ENOUGH_EVENTS
from arena.boards.ladder_log import LadderId, read_board
from arena.boards.live_board import all_versions
from arena.match.clock import TimeControl
from arena.storage import checkpoints, statements
from arena.storage.advisory_locks import AdvisoryLock
from arena.storage.engine import asking_engine
from arena.storage.reading import ColumnReader, open_reader, storage_errors


def played_ladders(read: ColumnReader) -> list[LadderId]:
    """The ladders on which matches were played."""
    found: dict[LadderId, None] = {}
    for row in read(statements.ladders()):
        control = TimeControl(row.turn_ms, row.bank_ms)
        sizes = table_sizes(row.seat_count)
        found[LadderId.of(row.game, row.options, sizes, time_control=control)] = None
    return list(found)


def write_checkpoints(url: str, fewest: int = 1) -> list[LadderId]:
    """Write the checkpoints to which at least `fewest` rating events were added, and say which.
    Empty also while another process writes. Raises StorageError."""
    with _alone(url) as connection, open_reader(url) as read:
        if connection is None:
            return []
        (end,) = read(statements.log_end())
        written = []
        for ladder in played_ladders(read):
            known = _sequence(connection, ladder, end.revision)
            if known is None or end.sequence - known >= fewest:
                found = current(read, ladder)
                if found is not None:
                    write(connection, ladder, found)
                    written.append(ladder)
        return written


def current(read: ColumnReader, ladder: LadderId) -> Checkpoint | None:
    """A ladder's board now, to be stored; None without a match."""
    (end,) = read(statements.log_end())
    board, _ = read_board(read, ladder, end.revision, end.sequence)
    if not len(board):
        return None
    board.fit(all_versions(read))
    return Checkpoint(end.revision, end.sequence, pack(board))


def write(connection: Connection, ladder: LadderId, found: Checkpoint) -> None:
    """Write a checkpoint, unless there is a newer one or the log has changed since."""
    connection.execute(
        checkpoints.write_checkpoint(
            *(edition(ladder.game), ladder.game, ladder.option_values, ladder.seats),
            *(ladder.score.value, ladder.time_control),
            found.revision,
            found.sequence,
            found.data,
        )
    )
    connection.commit()


@contextmanager
def _alone(url: str) -> Iterator[Connection | None]:
    """A connection that nobody else has at the same time; None while somebody has."""
    engine = asking_engine(url)
    try:
        with storage_errors(), engine.connect() as connection:
            lock = func.pg_try_advisory_lock(AdvisoryLock.CHECKPOINTS.value)
            taken = connection.scalar(select(lock))
            connection.commit()
            yield connection if taken else None
    finally:
        engine.dispose()  # which ends the lock, too


def _sequence(connection: Connection, ladder: LadderId, revision: int) -> int | None:
    of = (ladder.option_values, ladder.seats, ladder.score.value, ladder.time_control, revision)
    found = checkpoints.checkpoint_sequence(edition(ladder.game), ladder.game, *of)
    sequence: int | None = connection.scalar(found)
    connection.commit()
    return sequence


if __name__ == "__main__":
    write_checkpoints(sys.stdin.read(), ENOUGH_EVENTS)
