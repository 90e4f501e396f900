"""The log of rated results, and who is in it, as boards read them; and what is counted in it."""

from collections.abc import Collection, Mapping
from typing import Any

import psycopg

from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.storage import statements
from arena.storage.reading import Read


def rated_results(
    read: Read,
    game: str,
    options: Mapping[str, Any],
    seats: Collection[int],
    after: int = 0,
    time_control: TimeControl = DEFAULT_TIME_CONTROL,
) -> list[Any]:
    """The results of a ladder that count, in their order."""
    return list(read(statements.rated_results(game, options, seats, after, time_control)))


def require_counts(sql: psycopg.Connection) -> int:
    """Require that the counts by version are those of all results. Returns the matches of all
    versions."""
    counted = sql.execute(
        "SELECT version_id, matches, faults FROM version_counts ORDER BY version_id"
    ).fetchall()
    recounted = sql.execute(
        "SELECT version_id, count(DISTINCT match_id), sum(faults) FROM match_seats"
        " GROUP BY version_id ORDER BY version_id"
    ).fetchall()
    assert counted == recounted
    return sum(row[1] for row in counted)
