"""Reading one ladder from the database: its results as columns, its bots, and its checkpoint."""

from collections.abc import Collection

from arena.database.reading import ColumnReader, Read
from arena.database.rows import registered_of
from arena.rating.ladder_id import LadderId
from arena.records import Registered, VersionId
from arena.server.accounts import bot_statements
from arena.server.boards import checkpoints, ladder_statements
from arena.server.boards.board import Board
from arena.server.boards.checkpoint import CheckpointDamagedError, unpack
from arena.server.boards.log_columns import SEATS, LogColumns, of_seats


def read_log(
    read: ColumnReader,
    ladder: LadderId,
    after: int = 0,
    up_to: int | None = None,
    *,
    lucky: bool = True,
) -> LogColumns:
    """Return the ladder's results with rating events after `after` and up to `up_to`.

    With `lucky`, they include measured luck.
    """
    statement = ladder_statements.rated_seats(ladder, after, up_to, lucky=lucky)
    return of_seats(read.columns(statement, SEATS))


def registered(read: Read, versions: Collection[VersionId]) -> dict[VersionId, Registered]:
    """Return these versions by id, retired ones included; with no ids, nothing is read."""
    if not versions:
        return {}
    found = map(registered_of, read(bot_statements.versions_by_id(versions)))
    return {one.version_id: one for one in found}


def block_goes_on(read: Read, after: int) -> bool:
    """Return whether a block has results both before and after a rating event.

    Blocks enter the log as a whole; this detects one that did not, so that ratings stay correct.
    """
    (row,) = read(ladder_statements.block_goes_on(after))
    return bool(row.found)


def read_board(
    read: ColumnReader, ladder: LadderId, revision: int, up_to: int
) -> tuple[Board, int | None]:
    """Return the ladder's board up to a rating event, and the last rating event in its checkpoint.

    The board is made from the checkpoint and the results after it. Without a checkpoint the event
    is None.
    """
    stored = read_checkpoint(read, ladder, revision)
    board, after = stored if stored is not None else (Board(ladder.game, ladder.score), 0)
    return grown(read, ladder, board, after, up_to), None if stored is None else after


def grown(
    read: ColumnReader, ladder: LadderId, board: Board, after: int, up_to: int | None = None
) -> Board:
    """Return a board with the results after a rating event and up to another.

    It is `board`, or a new one if a block has results on both sides of `after`: a board has sums of
    whole blocks only.
    """
    log = read_log(read, ladder, after, up_to)
    if len(log) and len(board) and block_goes_on(read, after):
        board = Board(ladder.game, ladder.score)
        log = read_log(read, ladder, up_to=up_to)
    board.extend(log)
    return board


def read_checkpoint(read: Read, ladder: LadderId, revision: int) -> tuple[Board, int] | None:
    """Return the board at the ladder's checkpoint, and the last rating event in it.

    Returns None if there is no checkpoint of this revision of the log that this release can read.
    """
    for row in read(checkpoints.checkpoint(ladder, revision)):
        try:
            return unpack(ladder.game, ladder.score, row.data), row.sequence
        except CheckpointDamagedError:
            return None
    return None
