"""SQL statements about recent meetings and placings, from which pairings are made."""

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
"""The columns that determine a match's ladder: game, options, seat_count, turn_ms, bank_ms."""

NEWEST_COUNTED: Final = 20_000
"""The number of newest matches that pairings take into account after a start.

Counting all of them would make a start slower as the history grows, and a new bot would play until
it had caught up with that history.
"""

MOST_ELSEWHERE: Final = 2_000
"""The most matches of other referees that are read at a time: some tens of milliseconds of work."""


def newest_placings() -> Row:
    """Select the newest matches, without those of challenges, in one row for each ladder.

    The columns are those of `_LADDER`, versions and placings. The last two are arrays by match,
    the oldest first, and by seat. The block and seats of each match are looked up separately: a
    join would read all blocks and seats, however few matches are selected.
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
    """Select the matches of other leases from the log of ratings, after `after` up to `until`.

    The columns are those of `_LADDER`, versions and placings (both by seat), and block_id; rows are
    in the order of the log. If there are more than MOST_ELSEWHERE, only the newest are selected.
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
    """Return a lateral query for version_id and placing of each match found, both by seat."""

    def by_seat(column: Column[Any]) -> Any:
        return func.array_agg(aggregate_order_by(column, match_seats.c.seat)).label(column.name)

    return (
        select(by_seat(match_seats.c.version_id), by_seat(match_seats.c["placing"]))
        .where(match_seats.c.match_id == found.c.id)
        .lateral("seats")
    )
