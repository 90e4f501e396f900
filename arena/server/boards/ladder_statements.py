"""SQL statements about ladders: their list, their results as columns, when matches ended."""

from collections.abc import Collection

from sqlalchemy import ColumnElement, Integer, Text, and_, cast, func, literal_column, select

from arena.database.statement import Row
from arena.database.tables.boards import log_revision, played_ladders
from arena.database.tables.matches import match_luck, match_seats, matches, rating_events, voidings
from arena.database.tables.policy import policy
from arena.rating.ladder_id import LadderId
from arena.server.results.luck_statements import of_the_match
from arena.server.results.statements import with_time_control


def log_end() -> Row:
    """Select `sequence` and `revision` of the log's end, and the policy's ranking.

    `sequence` is the number of the newest rating event of any ladder, 0 before the first;
    `revision` is a number that changes when earlier results count differently. The policy's columns
    are `ranked_versions` and `ranked_days`.
    """
    newest = func.coalesce(func.max(rating_events.c.sequence), 0).label("sequence")
    revision = select(log_revision.c.number).scalar_subquery()
    ranked = (
        select(policy.c[name]).scalar_subquery().label(name)
        for name in ("ranked_versions", "ranked_days")
    )
    return select(newest, revision.label("revision"), *ranked)


def ladders() -> Row:
    """Select all ladders with a match, except those of challenges.

    The columns are `game`, `options`, `seat_count`, `turn_ms` and `bank_ms`.
    """
    return select(*played_ladders.c).order_by(*played_ladders.c)


def rated_seats(
    ladder: LadderId, after: int = 0, up_to: int | None = None, *, lucky: bool = True
) -> Row:
    """Select a row for each seat of the results after a rating event and up to another.

    The columns are `sequence`, `block`, `seat`, `version`, `placing`, `luck`, `faults` and
    `forfeits`; the rows have no order. Luck that was not measured is NaN, and so is all luck unless
    `lucky`. All columns have a fixed width: read them with `ColumnReader.columns`.
    """
    seated = rating_events.join(matches).join(match_seats)
    luck: ColumnElement[float] = literal_column("'NaN'::float8")
    if lucky:
        seated = seated.outerjoin(match_luck, of_the_match())
        luck = func.coalesce(match_luck.c.luck[match_seats.c.seat + 1], luck)
    found = (
        select(rating_events.c.sequence, matches.c.block_id.label("block"), match_seats.c.seat)
        .add_columns(match_seats.c.version_id.label("version"), match_seats.c.placing)
        .add_columns(luck.label("luck"), match_seats.c.faults)
        .add_columns(cast(match_seats.c.forfeited, Integer).label("forfeits"))
        .select_from(seated)
        .where(rating_events.c.sequence > after)
        .where(of_ladder(ladder))
    )
    return found if up_to is None else found.where(rating_events.c.sequence <= up_to)


def of_ladder(ladder: LadderId) -> ColumnElement[bool]:
    """Return the condition that a match is on a ladder, and that no operator voided its block."""
    return and_(
        matches.c.block_id.not_in(select(voidings.c.block_id)),
        matches.c.game == ladder.game,
        matches.c.options == ladder.option_values,
        matches.c.seat_count.in_(ladder.seats),
        with_time_control(ladder.time_control),
    )


def block_goes_on(after: int) -> Row:
    """Select `found`: whether some block has matches both up to and after a rating event."""
    earlier, other = rating_events.alias(), matches.alias()
    of_block = and_(other.c.block_id == matches.c.block_id, other.c.id != matches.c.id)
    found = (
        select(other.c.id)
        .select_from(
            rating_events.join(matches)
            .join(other, of_block)
            .join(earlier, earlier.c.match_id == other.c.id)
        )
        .where(rating_events.c.sequence > after, earlier.c.sequence <= after)
    )
    return select(found.exists().label("found"))


def ladders_with_results(after: int, up_to: int) -> Row:
    """Select the columns of `ladders` for the results after a rating event and up to another."""
    return (
        select(matches.c.game, matches.c.options, matches.c.seat_count)
        .add_columns(matches.c.turn_ms, matches.c.bank_ms)
        .select_from(rating_events.join(matches))
        .where(rating_events.c.sequence.between(after + 1, up_to))
        .distinct()
    )


def rated_matches(sequences: Collection[int]) -> Row:
    """Select `sequence`, `match_id`, `finished_at` of these rating events, in their order."""
    return (
        select(rating_events.c.sequence, cast(matches.c.id, Text).label("match_id"))
        .add_columns(matches.c.finished_at)
        .select_from(rating_events.join(matches))
        .where(rating_events.c.sequence.in_(sequences))
        .order_by(rating_events.c.sequence)
    )
