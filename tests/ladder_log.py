"""The log of rated results, and who is in it, as boards read them; and what is counted in it."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import psycopg
from sqlalchemy import ColumnElement, Text, cast, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.types import NullType

from arena.database.reading import Read
from arena.database.tables.matches import match_luck, match_seats, matches, rating_events
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.rating.ladder_id import LadderId
from arena.records import Registered, VersionId
from arena.server.accounts import bot_statements
from arena.server.boards.ladder_log import registered
from arena.server.boards.ladder_statements import of_ladder
from arena.server.results.luck_statements import of_the_match
from tests.databases import plain


def rated_results(
    read: Read,
    game: str,
    options: Mapping[str, Any],
    seats: Collection[int],
    after: int = 0,
    time_control: TimeControl = DEFAULT_TIME_CONTROL,
) -> list[Any]:
    """The results of a ladder that count, in their order, row by row: sequence, match_id, block_id,
    and by seat version_ids, placings, forfeited and luck, which is None if it was not measured."""

    def by_seat(column: ColumnElement[Any], name: str) -> ColumnElement[Any]:
        in_order = aggregate_order_by(column, match_seats.c.seat)
        return func.array_agg(in_order, type_=NullType()).label(name)

    found = (
        select(rating_events.c.sequence, cast(matches.c.id, Text).label("match_id"))
        .add_columns(cast(matches.c.block_id, Text).label("block_id"))
        .add_columns(by_seat(match_seats.c.version_id, "version_ids"))
        .add_columns(by_seat(match_seats.c.placing, "placings"))
        .add_columns(by_seat(match_seats.c.forfeited, "forfeited"), match_luck.c.luck)
        .select_from(
            rating_events.join(matches).join(match_seats).outerjoin(match_luck, of_the_match())
        )
        .where(rating_events.c.sequence > after)
        .where(of_ladder(LadderId.of(game, options, seats, time_control=time_control)))
        .group_by(rating_events.c.sequence, matches.c.id, match_luck.c.match_id)
        .order_by(rating_events.c.sequence)
    )
    return list(read(found))


def all_versions(read: Read) -> dict[VersionId, Registered]:
    """All registered versions by id, including retired ones."""
    return registered(read, [row.id for row in read(bot_statements.all_versions())])


class KeptAnalyses(NamedTuple):
    """All analyses of a database."""

    matches: list[tuple[Any, ...]]
    """match_id, edition, data."""
    sums: list[tuple[Any, ...]]
    """The rows of version_losses; losses are rounded, as sums depend on the order of adding."""


def kept_analyses(url: str) -> KeptAnalyses:
    with psycopg.connect(plain(url)) as sql:
        matches = sql.execute(
            "SELECT match_id, edition, data FROM match_analyses ORDER BY match_id"
        ).fetchall()
        sums = sql.execute("SELECT * FROM version_losses ORDER BY version_id, game").fetchall()
    rounded = [
        tuple(round(value, 9) if isinstance(value, float) else repr(value) for value in row)
        for row in sums
    ]
    return KeptAnalyses(matches, rounded)


def forget_analyses(url: str) -> None:
    with psycopg.connect(plain(url), autocommit=True) as sql:
        sql.execute("DELETE FROM match_analyses")
        sql.execute("DELETE FROM version_losses")


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
