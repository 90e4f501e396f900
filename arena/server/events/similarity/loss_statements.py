"""SQL statements about the matches of an event's field, for what their decisions cost."""

from typing import Any

from sqlalchemy import ColumnElement, Text, cast, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from arena.database.statement import Row
from arena.database.tables.analyses import match_analyses
from arena.database.tables.bots import bots, versions
from arena.database.tables.events import event_builds, events
from arena.database.tables.matches import match_seats, matches, transcripts
from arena.database.tables.tournaments import tournament_blocks, tournaments


def kept_of_field(event_id: int, edition: str, limit: int) -> Row:
    """Select the newest kept analyses of matches of a final's table type with one of its builds.

    The columns are `match_id`, `block_id`, `data`, and by seat `bots`, `labels` and `version_ids`.
    """
    builds = select(event_builds.c.version_id).where(event_builds.c.event_id == event_id)
    played = select(match_seats.c.match_id).where(match_seats.c.version_id.in_(builds))
    chosen = (
        select(matches.c.id, cast(matches.c.block_id, Text).label("block_id"))
        .add_columns(match_analyses.c.data)
        .select_from(
            matches.join(match_analyses, match_analyses.c.match_id == matches.c.id).join(
                events, events.c.id == event_id
            )
        )
        .where(match_analyses.c.edition == edition, matches.c.id.in_(played))
        .where(matches.c.game == events.c.game, matches.c.options == events.c.options)
        .where(matches.c.seat_count == events.c.seat_count)
        .where(matches.c.turn_ms == events.c.turn_ms, matches.c.bank_ms == events.c.bank_ms)
        .order_by(matches.c.finished_at.desc(), matches.c.id)
        .limit(limit)
        .subquery()
    )

    def by_seat(column: ColumnElement[Any], name: str) -> ColumnElement[Any]:
        return func.array_agg(aggregate_order_by(column, match_seats.c.seat)).label(name)

    return (
        select(cast(chosen.c.id, Text).label("match_id"), chosen.c.block_id, chosen.c.data)
        .add_columns(by_seat(bots.c.name, "bots"), by_seat(versions.c.label, "labels"))
        .add_columns(by_seat(versions.c.id, "version_ids"))
        .select_from(
            chosen.join(match_seats, match_seats.c.match_id == chosen.c.id)
            .join(versions, versions.c.id == match_seats.c.version_id)
            .join(bots, bots.c.id == versions.c.bot_id)
        )
        .group_by(chosen.c.id, chosen.c.block_id, chosen.c.data)
    )


def matches_of(tournament: str) -> Row:
    """Select `match_id`, `block_id`, `format`, `sha256` and `data` of a tournament's matches."""
    packed = (transcripts.c.format, transcripts.c.sha256, transcripts.c.data)
    return (
        select(cast(matches.c.id, Text).label("match_id"))
        .add_columns(cast(matches.c.block_id, Text).label("block_id"), *packed)
        .select_from(
            matches.join(transcripts, transcripts.c.match_id == matches.c.id)
            .join(tournament_blocks, tournament_blocks.c.block_id == matches.c.block_id)
            .join(tournaments, tournaments.c.id == tournament_blocks.c.tournament_id)
        )
        .where(tournaments.c.name == tournament)
    )
