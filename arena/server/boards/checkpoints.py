"""Statements about checkpoints of boards: reading one, and replacing it with a newer one.

A checkpoint is valid only for its revision of the log. Several processes may write the same
checkpoint at the same time: each write is atomic, and the newest checkpoint stays.
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
from arena.server.boards.checkpoint import edition

_NEWER = tuple_(board_checkpoints.c.revision, board_checkpoints.c.sequence)


def checkpoint(ladder: LadderId, revision: int) -> Row:
    """Select `sequence` and `data` of a ladder's checkpoint of this revision of the log."""
    of = board_checkpoints.c
    # Without a type, SQLAlchemy does not copy the bytes that the driver has received.
    found = select(of.sequence, type_coerce(of.data, NULLTYPE).label("data")).where(
        *_is(ladder, revision)
    )
    return found.execution_options(binary=True)


def checkpoint_sequence(ladder: LadderId, revision: int) -> Row:
    """Select `sequence` of a ladder's checkpoint of this revision of the log."""
    found = checkpoint(ladder, revision)
    return found.with_only_columns(board_checkpoints.c.sequence)


def move_on(ladder: LadderId, revision: int, sequence: int) -> Update:
    """Set a later rating event as the end of a ladder's checkpoint.

    None of the events in between is of this ladder, so the data stay unchanged.
    """
    return (
        update(board_checkpoints)
        .where(*_is(ladder, revision))
        .where(board_checkpoints.c.sequence < sequence)
        .values(sequence=sequence, written_at=func.now())
    )


def _is(ladder: LadderId, revision: int) -> Sequence[ColumnElement[bool]]:
    of, control = board_checkpoints.c, ladder.time_control
    return (
        *(of.edition == edition(ladder.game), of.game == ladder.game),
        *(of.options == ladder.option_values, of.revision == revision),
        *(of.seats == list(ladder.seats), of.score == ladder.score.value),
        *(of.turn_ms == control.turn_ms, of.bank_ms == control.bank_ms),
    )


def write_checkpoint(ladder: LadderId, revision: int, sequence: int, data: bytes) -> Insert:
    """Insert a ladder's checkpoint unless there is a newer one or the log has changed since."""
    of = board_checkpoints.c
    values = {
        of.edition: literal(edition(ladder.game)),
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
    # The lock makes a change of the log wait, unless it came before and is seen here.
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
