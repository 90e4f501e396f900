"""SQL statements about who met whom lately and was placed where: what pairings are made from."""

from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    Column,
    ColumnElement,
    FromClause,
    Integer,
    Subquery,
    func,
    not_,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by

from arena.database.statement import Row
from arena.database.tables.matches import blocks, match_seats, matches, rating_events
from arena.server.results.statements import casual

_LADDER = (
    *(matches.c.game, matches.c.options, matches.c.seat_count),
    *(matches.c.turn_ms, matches.c.bank_ms),
)
"""What a match's ladder follows from: game, options, seat_count, turn_ms, bank_ms."""

NEWEST_COUNTED: Final = 20_000
"""The matches from which pairings begin after a start: the newest. To count all would make a start
the slower the longer the history, and a bot that is new play until it had caught up with it."""

MOST_ELSEWHERE: Final = 2_000
"""The matches of other referees that are taken in at a time: some tens of milliseconds of work."""


def newest_placings() -> Row:
    """Select the newest matches of each ladder, but those of challenges.

    The columns of `_LADDER`, versions, placings (both by match, the oldest first, and by seat): a
    row for each ladder. Each match is looked up by itself: however few they are among all, a join
    would go through all blocks and seats.
    """
    ladder = select(matches.c.id, matches.c.block_id, matches.c.finished_at, *_LADDER)
    by_end = (matches.c.finished_at.desc(), matches.c.id.desc())
    newest = ladder.order_by(*by_end).limit(NEWEST_COUNTED).subquery("newest")
    counts = select(not_(casual())).where(blocks.c.id == newest.c.block_id).scalar_subquery()
    seats = _seats_of(newest)
    own = [newest.c[column.name] for column in _LADDER]

    def by_match(column: ColumnElement[Any]) -> ColumnElement[Any]:
        in_order = aggregate_order_by(column, newest.c.finished_at, newest.c.id)
        return func.array_agg(in_order, type_=ARRAY(Integer, dimensions=2))

    return (
        select(*own)
        .add_columns(by_match(seats.c.version_id).label("versions"))
        .add_columns(by_match(seats.c["placing"]).label("placings"))
        .select_from(newest.join(seats, true()))
        .where(counts)
        .group_by(*own)
    )


def placed_elsewhere(epoch: int, after: int, until: int) -> Row:
    """Select the matches that began to count in a part of the log, but those of this lease.

    The columns of `_LADDER`, versions, placings (both by seat), block_id, first to last. The newest
    of them, if they are more than MOST_ELSEWHERE.
    """
    newest = (
        select(rating_events.c.sequence, matches.c.id, matches.c.block_id, *_LADDER)
        .join(matches, matches.c.id == rating_events.c.match_id)
        .join(blocks, blocks.c.id == matches.c.block_id)
        .where(rating_events.c.sequence.between(after + 1, until))
        .where(blocks.c.epoch.is_distinct_from(epoch))
        .order_by(rating_events.c.sequence.desc())
        .limit(MOST_ELSEWHERE)
        .subquery("newest")
    )
    seats = _seats_of(newest)
    return (
        select(newest.c.block_id, *(newest.c[column.name] for column in _LADDER))
        .add_columns(seats.c.version_id.label("versions"), seats.c["placing"].label("placings"))
        .select_from(newest.join(seats, true()))
        .order_by(newest.c.sequence)
    )


def _seats_of(found: Subquery) -> FromClause:
    """version_id and placing of each match found, both by seat."""

    def by_seat(column: Column[Any]) -> Any:
        return func.array_agg(aggregate_order_by(column, match_seats.c.seat)).label(column.name)

    return (
        select(by_seat(match_seats.c.version_id), by_seat(match_seats.c["placing"]))
        .where(match_seats.c.match_id == found.c.id)
        .lateral("seats")
    )
