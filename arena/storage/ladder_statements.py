"""SQL statements about one ladder, apart from its results: faults, and when matches ended."""

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Text, cast, func, select

from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.storage.statements import Row, of_ladder
from arena.storage.tables import match_seats, matches, rating_events


def troubles(
    game: str,
    options: Mapping[str, Any],
    seat_counts: Collection[int],
    up_to_sequence: int,
    time_control: TimeControl = DEFAULT_TIME_CONTROL,
) -> Row:
    """version_id, matches, faults, faulty_matches, forfeits: of the results that count.

    `options` are those that differ from the game's defaults. With the last sequence number of a
    board, it covers exactly that board's matches.
    """
    return (
        select(match_seats.c.version_id, func.count().label("matches"))
        .add_columns(func.sum(match_seats.c.faults).label("faults"))
        .add_columns(func.count().filter(match_seats.c.faults > 0).label("faulty_matches"))
        .add_columns(func.count().filter(match_seats.c.forfeited).label("forfeits"))
        .select_from(rating_events.join(matches).join(match_seats))
        .where(rating_events.c.sequence <= up_to_sequence)
        .where(of_ladder(game, options, seat_counts, time_control))
        .group_by(match_seats.c.version_id)
    )


def rated_matches(sequences: Collection[int]) -> Row:
    """sequence, match_id, finished_at: of these rating events, in their order."""
    return (
        select(rating_events.c.sequence, cast(matches.c.id, Text).label("match_id"))
        .add_columns(matches.c.finished_at)
        .select_from(rating_events.join(matches))
        .where(rating_events.c.sequence.in_(sequences))
        .order_by(rating_events.c.sequence)
    )
