"""SQL statements for unfinished work of a referee: interrupted blocks, and ends not yet sent."""

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Delete,
    Select,
    TextClause,
    Update,
    and_,
    delete,
    exists,
    func,
    literal,
    not_,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, Insert, insert

from arena.database.tables.matches import blocks, unfinished
from arena.database.tables.running import leases, running_blocks, running_matches, untold_ends
from arena.database.tables.tournaments import tournament_blocks, tournaments
from arena.records import UntoldEnd

IN_DOUBT_SECONDS: Final = 3
"""Ends from this time before a crash are sent again, so that no bot waits for one for ever."""


def running_blocks_of(epoch: int) -> Select[tuple[str]]:
    """Return a statement that selects the ids of the running blocks of a lease."""
    return select(running_blocks.c.id).where(running_blocks.c.epoch == epoch)


def forget_ended_blocks(epoch: int) -> Delete:
    """Return a statement that deletes ended running blocks of a lease that have no match left.

    A crash can leave such blocks.
    """
    ended = exists().where(blocks.c.id == running_blocks.c.id, not_(unfinished()))
    playing = exists().where(running_matches.c.block_id == running_blocks.c.id)
    return delete(running_blocks).where(running_blocks.c.epoch == epoch, ended, not_(playing))


def void_blocks_of_ended_tournaments() -> Update:
    """Return a statement that voids unfinished blocks of tournaments that are over."""
    over = (
        select(tournament_blocks.c.block_id)
        .join(tournaments, tournaments.c.id == tournament_blocks.c.tournament_id)
        .where(tournaments.c.ended_at.is_not(None))
    )
    return (
        update(blocks)
        .where(unfinished(), blocks.c.id.in_(over), _played_by_nobody())
        .values(voided_at=func.now())
    )


def cut_off_blocks() -> Select[tuple[str]]:
    """Return a statement that selects the ids of unfinished ladder blocks that no referee plays."""
    asked_for = exists().where(tournament_blocks.c.block_id == blocks.c.id)
    return select(blocks.c.id).where(unfinished(), _played_by_nobody(), not_(asked_for))


def _played_by_nobody() -> ColumnElement[bool]:
    """Return the condition that a block is neither kept as running nor of a running referee.

    A running referee has most of its blocks only in memory.
    """
    kept = exists().where(running_blocks.c.id == blocks.c.id)
    played = exists().where(leases.c.epoch == blocks.c.epoch)
    return and_(not_(kept), not_(played))


# Ends that bots have missed


def untold() -> Select[tuple[str, int, str]]:
    """Return a statement that selects the ends that bots have missed, the oldest first.

    Columns: match_id, version_id and instance.
    """
    ends = untold_ends.c
    return select(ends.match_id, ends.version_id, ends.instance).order_by(ends.since)


def ends_in_doubt(epochs: Collection[int]) -> TextClause:
    """Return a statement that adds the ends that these leases' referees may not have sent.

    These are the ends of matches recorded just before the referee was killed. The time of recording
    counts, because a match may have waited long for it.
    """
    statement = text("""
        INSERT INTO untold_ends (match_id, version_id, instance)
        SELECT seats.match_id, seats.version_id,
            coalesce(batch.instances #>> ARRAY[seats.match_id::text, seats.seat::text], '')
        FROM recorded_batches AS batch
        JOIN match_seats AS seats ON seats.match_id = ANY (batch.match_ids)
        WHERE batch.epoch = ANY (:epochs) AND batch.recorded_at > (
            SELECT recorded_at FROM recorded_batches AS last WHERE last.epoch = batch.epoch
            ORDER BY number DESC LIMIT 1
        ) - make_interval(secs => :seconds)
        ON CONFLICT DO NOTHING
    """)
    return statement.bindparams(epochs=list(epochs), seconds=IN_DOUBT_SECONDS)


def add_untold(ends: Sequence[UntoldEnd]) -> Insert:
    """Return a statement that adds ends; existing ones stay as they are."""
    columns = untold_ends.c.match_id, untold_ends.c.version_id, untold_ends.c.instance
    rows = select(
        *(
            func.unnest(literal([getattr(end, column.name) for end in ends], ARRAY(column.type)))
            for column in columns
        )
    )
    return insert(untold_ends).from_select(columns, rows).on_conflict_do_nothing()


def remove_untold(ends: Sequence[UntoldEnd]) -> Delete:
    """Return a statement that removes ends that were sent or exceed the limit."""
    keys = [(end.match_id, end.version_id) for end in ends]
    return delete(untold_ends).where(
        tuple_(untold_ends.c.match_id, untold_ends.c.version_id).in_(keys)
    )


def forget_old_untold() -> Delete:
    """Return a statement that removes ends older than a day, for which no bot waits."""
    return delete(untold_ends).where(untold_ends.c.since < func.now() - text("interval '1 day'"))
