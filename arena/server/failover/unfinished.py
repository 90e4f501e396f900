"""SQL statements for unfinished work of a referee: interrupted blocks, ends that were not told."""

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
    not_,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import Insert, insert

from arena.database.tables.matches import blocks, unfinished
from arena.database.tables.running import leases, running_blocks, running_matches, untold_ends
from arena.database.tables.tournaments import tournament_blocks, tournaments
from arena.records import UntoldEnd

IN_DOUBT_SECONDS: Final = 3
"""Ends of so long before a crash are told again, lest a bot waits for one for ever."""


def running_blocks_of(epoch: int) -> Select[tuple[str]]:
    """Ids of the running blocks of a lease."""
    return select(running_blocks.c.id).where(running_blocks.c.epoch == epoch)


def forget_ended_blocks(epoch: int) -> Delete:
    """Delete running blocks of a lease of which no match is left.

    They are over, and a crash came in between.
    """
    ended = exists().where(blocks.c.id == running_blocks.c.id, not_(unfinished()))
    playing = exists().where(running_matches.c.block_id == running_blocks.c.id)
    return delete(running_blocks).where(running_blocks.c.epoch == epoch, ended, not_(playing))


def void_blocks_of_ended_tournaments() -> Update:
    """Take unfinished blocks of tournaments that are over out of the count."""
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
    """Ids of unfinished blocks of the ladder with which nobody goes on."""
    asked_for = exists().where(tournament_blocks.c.block_id == blocks.c.id)
    return select(blocks.c.id).where(unfinished(), _played_by_nobody(), not_(asked_for))


def _played_by_nobody() -> ColumnElement[bool]:
    """Return the condition that nobody plays a block.

    It is neither kept as running nor of a referee that runs, which keeps most blocks in its memory
    alone.
    """
    kept = exists().where(running_blocks.c.id == blocks.c.id)
    played = exists().where(leases.c.epoch == blocks.c.epoch)
    return and_(not_(kept), not_(played))


# Ends that bots have missed


def untold() -> Select[tuple[str, int, str]]:
    """match_id, version_id and instance, the oldest first."""
    ends = untold_ends.c
    return select(ends.match_id, ends.version_id, ends.instance).order_by(ends.since)


def ends_in_doubt(epochs: Collection[int]) -> TextClause:
    """Add the ends that may not have been told.

    Those of what the referees of these leases recorded just before they were killed. The time is
    that of recording; a match may have waited long for that.
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
    """Add untold ends; those that are there stay as they are."""
    rows = [
        {"match_id": end.match_id, "version_id": end.version_id, "instance": end.instance}
        for end in ends
    ]
    return insert(untold_ends).values(rows).on_conflict_do_nothing()


def remove_untold(ends: Sequence[UntoldEnd]) -> Delete:
    """Remove untold ends: they are told, or too many."""
    keys = [(end.match_id, end.version_id) for end in ends]
    return delete(untold_ends).where(
        tuple_(untold_ends.c.match_id, untold_ends.c.version_id).in_(keys)
    )


def forget_old_untold() -> Delete:
    """Forget old untold ends: no bot waits for one longer than a day."""
    return delete(untold_ends).where(untold_ends.c.since < func.now() - text("interval '1 day'"))
