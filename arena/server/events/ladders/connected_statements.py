"""SQL statements about connected bots on the ladders of events; callers execute them."""

from sqlalchemy import Insert, exists, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert

from arena.database.statement import Row
from arena.database.tables.bots import bots, versions
from arena.database.tables.events import event_entries, event_players
from arena.database.tables.matches import match_seats, matches, transcripts
from arena.server.events.event_statements import connected_version
from arena.server.events.ladders.player_statements import entered_bots


def add_connected(event_id: int) -> Insert:
    """Add the versions of connected bots that play now to the players of an event."""
    version = connected_version("id")
    there = exists().where(
        event_players.c.event_id == event_id, event_players.c.version_id == version
    )
    playing = (
        select(event_entries.c.event_id, version)
        .select_from(entered_bots())
        .where(event_entries.c.event_id == event_id, version.is_not(None), ~there)
    )
    return (
        insert(event_players)
        .from_select(["event_id", "version_id"], playing)
        .on_conflict_do_nothing()
    )


def connected(event_id: int) -> Row:
    """Select the players of an event's ladder that connect, as `player_statements.playing` does."""
    return (
        select(event_players.c.id, event_players.c.version_id, event_players.c.blocks)
        .select_from(
            entered_bots().join(
                event_players,
                (event_players.c.version_id == connected_version("id"))
                & (event_players.c.event_id == event_entries.c.event_id),
            )
        )
        .where(event_entries.c.event_id == event_id)
    )


def house_versions(event_id: int) -> Row:
    """Select `id` of the players of an event that are the house's, and their `version_id`s here."""
    return (
        select(event_players.c.id, versions.c.id.label("version_id"))
        .select_from(
            event_players.join(bots, (bots.c.name == event_players.c.house) & bots.c.house).join(
                versions, (versions.c.bot_id == bots.c.id) & versions.c.retired_at.is_(None)
            )
        )
        .where(event_players.c.event_id == event_id, bots.c.retired_at.is_(None))
    )


def recorded_block(block_id: str) -> Row:
    """Select the matches of a recorded block, in the order of their positions.

    Columns: `match_id`, `placings` (by seat), and `format`, `sha256` and `data` of the transcript.
    """
    kept = transcripts.c
    placings = func.array_agg(aggregate_order_by(match_seats.c.placing, match_seats.c.seat))
    return (
        select(matches.c.id.label("match_id"), placings.label("placings"))
        .add_columns(kept.format, kept.sha256, kept.data)
        .select_from(
            matches.join(match_seats, match_seats.c.match_id == matches.c.id).join(
                transcripts, transcripts.c.match_id == matches.c.id
            )
        )
        .where(matches.c.block_id == block_id)
        .group_by(matches.c.id, kept.match_id)
        .order_by(matches.c.position)
    )
