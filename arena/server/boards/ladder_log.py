"""What the database has of one ladder: its results as columns, its bots, and its checkpoint."""

from collections.abc import Collection

from arena.database.reading import ColumnReader, Read
from arena.database.rows import registered_of
from arena.rating.ladder_id import LadderId
from arena.records import Registered, VersionId
from arena.server.accounts import bot_statements
from arena.server.boards import checkpoints, ladder_statements
from arena.server.boards.board import Board
from arena.server.boards.checkpoint import CheckpointDamagedError, edition, unpack
from arena.server.boards.log_columns import SEATS, LogColumns, of_seats


def read_log(
    read: ColumnReader,
    ladder: LadderId,
    after: int = 0,
    up_to: int | None = None,
    *,
    lucky: bool = True,
) -> LogColumns:
    """Return the ladder's results whose rating events come after one and up to another.

    `lucky`: with their luck.
    """
    statement = ladder_statements.rated_seats(ladder, after, up_to, lucky=lucky)
    return of_seats(read.columns(statement, SEATS))


def registered(read: Read, versions: Collection[VersionId]) -> dict[VersionId, Registered]:
    """Return the registered versions, retired ones included.

    Nothing is read for none.
    """
    if not versions:
        return {}
    found = map(registered_of, read(bot_statements.versions_by_id(versions)))
    return {one.version_id: one for one in found}


def block_goes_on(read: Read, after: int) -> bool:
    """Whether a block began to count before a rating event and goes on after it.

    Blocks enter the log as a whole; one that does not is nothing to lose a rating by.
    """
    (row,) = read(ladder_statements.block_goes_on(after))
    return bool(row.found)


def read_board(
    read: ColumnReader, ladder: LadderId, revision: int, up_to: int
) -> tuple[Board, int | None]:
    """Return the ladder's board up to a rating event, from its checkpoint and what came after it.

    And the last rating event in the checkpoint, if there is one.
    """
    stored = read_checkpoint(read, ladder, revision)
    board, after = stored if stored is not None else (Board(ladder.game, ladder.score), 0)
    log = read_log(read, ladder, after, up_to)
    if len(log) and len(board) and block_goes_on(read, after):
        board = Board(ladder.game, ladder.score)
        log = read_log(read, ladder, up_to=up_to)
    board.extend_columns(log)
    return board, None if stored is None else after


def read_checkpoint(read: Read, ladder: LadderId, revision: int) -> tuple[Board, int] | None:
    """Return the ladder's board at its checkpoint, and the last rating event in it.

    None if there is none of this revision of the log that this release can read.
    """
    for row in read(checkpoints.checkpoint(edition(ladder.game), ladder, revision)):
        try:
            return unpack(ladder.game, ladder.score, row.data), row.sequence
        except CheckpointDamagedError:
            return None
    return None
