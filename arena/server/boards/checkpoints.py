"""Checkpoints of boards in the database: reading one, and writing one that is newer.

A checkpoint belongs to a revision of the log and counts only for it. Several processes may write
the same one: the newer stays, however they are interleaved, and all or nothing of it is written.
"""

from collections.abc import Sequence

from sqlalchemy import (
    ColumnElement,
    Insert,
    Update,
    bindparam,
    func,
    literal,
    select,
    tuple_,
    type_coerce,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.types import NULLTYPE

from arena.database.statement import Row
from arena.database.tables.boards import board_checkpoints, log_revision
from arena.rating.ladder_id import LadderId

_NEWER = tuple_(board_checkpoints.c.revision, board_checkpoints.c.sequence)


def checkpoint(edition: str, ladder: LadderId, revision: int) -> Row:
    """sequence, data: of a ladder's checkpoint of this revision of the log, if there is one."""
    of = board_checkpoints.c
    # Of no type, so that SQLAlchemy makes no copy of what the driver has received.
    found = select(of.sequence, type_coerce(of.data, NULLTYPE).label("data")).where(
        *_is(edition, ladder, revision)
    )
    return found.execution_options(binary=True)


def checkpoint_sequence(edition: str, ladder: LadderId, revision: int) -> Row:
    """sequence: of the same."""
    found = checkpoint(edition, ladder, revision)
    return found.with_only_columns(board_checkpoints.c.sequence)


def move_on(edition: str, ladder: LadderId, revision: int, sequence: int) -> Update:
    """Move a ladder's checkpoint to a later rating event.

    None of those between is of this ladder: its data stay as they are.
    """
    return (
        update(board_checkpoints)
        .where(*_is(edition, ladder, revision))
        .where(board_checkpoints.c.sequence < sequence)
        .values(sequence=sequence, written_at=func.now())
    )


def _is(edition: str, ladder: LadderId, revision: int) -> Sequence[ColumnElement[bool]]:
    of, control = board_checkpoints.c, ladder.time_control
    return (
        *(of.edition == edition, of.game == ladder.game, of.options == ladder.option_values),
        *(of.seats == list(ladder.seats), of.score == ladder.score.value),
        *(of.turn_ms == control.turn_ms, of.bank_ms == control.bank_ms, of.revision == revision),
    )


def write_checkpoint(
    edition: str, ladder: LadderId, revision: int, sequence: int, data: bytes
) -> Insert:
    """Write a ladder's checkpoint, unless there is a newer one or the log has changed since."""
    of = board_checkpoints.c
    values = {
        of.edition: literal(edition),
        of.game: literal(ladder.game),
        of.options: bindparam("changed", ladder.option_values, type_=of.options.type),
        of.seats: bindparam("sizes", list(ladder.seats), type_=of.seats.type),
        of.score: literal(ladder.score.value),
        of.turn_ms: literal(ladder.time_control.turn_ms),
        of.bank_ms: literal(ladder.time_control.bank_ms),
        of.sequence: literal(sequence),
        of.revision: log_revision.c.number,
        of.data: bindparam("packed", data, type_=of.data.type),
    }
    # Locked: whoever changes the log now waits, or has done so before and is seen.
    current = (
        select(*values.values()).where(log_revision.c.number == revision).with_for_update(read=True)
    )
    adding = insert(board_checkpoints).from_select(list(values), current)
    given = adding.excluded
    return adding.on_conflict_do_update(
        constraint="board_checkpoints_pk",
        set_={
            "sequence": given.sequence,
            "revision": given.revision,
            "data": given.data,
            "written_at": func.now(),
        },
        where=tuple_(given.revision, given.sequence) > _NEWER,
    )
