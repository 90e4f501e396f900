"""SQL statements for what a referee leaves to the next: cut off blocks, ends not told."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Delete,
    Select,
    TextClause,
    Update,
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

from arena.records import UntoldEnd
from arena.storage.running_tables import running_blocks, running_matches, untold_ends
from arena.storage.statements import unfinished
from arena.storage.tables import blocks
from arena.storage.tournament_tables import tournament_blocks, tournaments

IN_DOUBT_SECONDS: Final = 3
"""Ends of so long before a crash are told again, lest a bot waits for one for ever."""


def forget_ended_blocks() -> Delete:
    """Running blocks of which no match is left, and that are over: a crash came in between."""
    ended = exists().where(blocks.c.id == running_blocks.c.id, not_(unfinished()))
    playing = exists().where(running_matches.c.block_id == running_blocks.c.id)
    return delete(running_blocks).where(ended, not_(playing))


def void_blocks_of_ended_tournaments() -> Update:
    """Takes unfinished blocks of tournaments that are over out of the count."""
    over = (
        select(tournament_blocks.c.block_id)
        .join(tournaments, tournaments.c.id == tournament_blocks.c.tournament_id)
        .where(tournaments.c.ended_at.is_not(None))
    )
    return (
        update(blocks)
        .where(unfinished(), blocks.c.id.in_(over), not_(_running()))
        .values(voided_at=func.now())
    )


def cut_off_blocks() -> Select[tuple[str]]:
    """Ids of unfinished blocks of the ladder with which nobody goes on."""
    asked_for = exists().where(tournament_blocks.c.block_id == blocks.c.id)
    return select(blocks.c.id).where(unfinished(), not_(_running()), not_(asked_for))


def _running() -> ColumnElement[bool]:
    return exists().where(running_blocks.c.id == blocks.c.id)


# Ends that bots have missed


def untold() -> Select[tuple[str, int, str]]:
    """match_id, version_id and instance, the oldest first."""
    ends = untold_ends.c
    return select(ends.match_id, ends.version_id, ends.instance).order_by(ends.since)


def ends_in_doubt() -> TextClause:
    """Adds the ends of what a referee recorded just before it was killed: it may not have told
    them. The time is that of recording; a match may have waited long for that."""
    statement = text("""
        INSERT INTO untold_ends (match_id, version_id, instance)
        SELECT seats.match_id, seats.version_id,
            coalesce(batch.instances #>> ARRAY[seats.match_id::text, seats.seat::text], '')
        FROM recorded_batches AS batch
        JOIN match_seats AS seats ON seats.match_id = ANY (batch.match_ids)
        WHERE batch.recorded_at > (
            SELECT recorded_at FROM recorded_batches ORDER BY number DESC LIMIT 1
        ) - make_interval(secs => :seconds)
        ON CONFLICT DO NOTHING
    """)
    return statement.bindparams(seconds=IN_DOUBT_SECONDS)


def add_untold(ends: Sequence[UntoldEnd]) -> Insert:
    """Those that are there stay as they are."""
    rows = [
        {"match_id": end.match_id, "version_id": end.version_id, "instance": end.instance}
        for end in ends
    ]
    return insert(untold_ends).values(rows).on_conflict_do_nothing()


def remove_untold(ends: Sequence[UntoldEnd]) -> Delete:
    """They are told, or too many."""
    keys = [(end.match_id, end.version_id) for end in ends]
    return delete(untold_ends).where(
        tuple_(untold_ends.c.match_id, untold_ends.c.version_id).in_(keys)
    )


def forget_old_untold() -> Delete:
    """Nobody waits for an end longer than a day."""
    return delete(untold_ends).where(untold_ends.c.since < func.now() - text("interval '1 day'"))
