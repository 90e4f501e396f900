"""SQL statements about the players of the ladders of events; callers execute them."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Insert, Update, exists, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.dml import ReturningUpdate

from arena.database.statement import Row
from arena.database.tables.bots import bots, versions
from arena.database.tables.events import event_builds, event_entries, event_ladders, event_players
from arena.database.tables.owners import owners
from arena.database.tables.uploads import build_files, builds, hosted_bots, hosted_versions
from arena.server.events.event_statements import connected_version


def add_versions(event_id: int) -> Insert:
    """Add to an event's players the builds with which entered bots in service play now."""
    return _add(event_id, hosted_bots.c.version_id, _in_service())


def add_connected(event_id: int) -> Insert:
    """Add to an event's players the versions with which connected bots play now."""
    return _add(event_id, connected_version("id"), _entered_bots())


def _add(event_id: int, version: Any, entered: Any) -> Insert:
    # ON CONFLICT alone would use up an id each time.
    there = exists().where(
        event_players.c.event_id == event_id, event_players.c.version_id == version
    )
    playing = (
        select(event_entries.c.event_id, version)
        .select_from(entered)
        .where(event_entries.c.event_id == event_id, version.is_not(None), ~there)
    )
    return (
        insert(event_players)
        .from_select(["event_id", "version_id"], playing)
        .on_conflict_do_nothing()
    )


def add_house(event_id: int) -> Insert:
    """Add the house bots to the players of an event."""
    named = (
        select(event_ladders.c.event_id, func.unnest(event_ladders.c.house).label("name"))
        .where(event_ladders.c.event_id == event_id)
        .subquery()
    )
    house = select(named.c.event_id, named.c.name).where(
        ~exists().where(event_players.c.event_id == event_id, event_players.c.house == named.c.name)
    )
    return insert(event_players).from_select(["event_id", "house"], house).on_conflict_do_nothing()


def playing(event_id: int) -> Row:
    """Select the players of an event's ladder with builds that play now, without house bots.

    Columns: `id`, `version_id`, `blocks`.
    """
    return _playing(event_id, hosted_bots.c.version_id, _in_service())


def connected(event_id: int) -> Row:
    """Select the columns of `playing` of the players of an event's ladder that connect."""
    return _playing(event_id, connected_version("id"), _entered_bots())


def _playing(event_id: int, version: Any, entered: Any) -> Row:
    return (
        select(event_players.c.id, event_players.c.version_id, event_players.c.blocks)
        .select_from(
            entered.join(
                event_players,
                (event_players.c.version_id == version)
                & (event_players.c.event_id == event_entries.c.event_id),
            )
        )
        .where(event_entries.c.event_id == event_id)
    )


def _entered_bots() -> Any:
    """Return entries joined with their bots in service, and the bots' owners."""
    return event_entries.join(
        bots,
        (bots.c.id == event_entries.c.bot_id)
        & bots.c.retired_at.is_(None)
        & bots.c.frozen_at.is_(None)
        & bots.c.paused_at.is_(None),
    ).join(owners, (owners.c.id == bots.c.owner_id) & owners.c.banned_at.is_(None))


def _in_service() -> Any:
    """Return entries joined with the uploaded version that plays, of bots in service."""
    return (
        _entered_bots()
        .join(hosted_bots, hosted_bots.c.bot_id == bots.c.id)
        .join(
            versions,
            (versions.c.id == hosted_bots.c.version_id) & versions.c.retired_at.is_(None),
        )
    )


def players(ids: Collection[int]) -> Row:
    """Select players with the builds that they play with.

    Columns: `id`, `house` or `version_id`, `bot`, `version`, `owner`, `sha256`, `file_name`.
    """
    return (
        _named_players()
        .add_columns(builds.c.sha256, builds.c.file_name)
        .outerjoin(hosted_versions, hosted_versions.c.version_id == event_players.c.version_id)
        .outerjoin(builds, builds.c.id == hosted_versions.c.build_id)
        .where(event_players.c.id.in_(ids))
        .order_by(event_players.c.id)
    )


def named_players(ids: Collection[int]) -> Row:
    """Select `id`, `house` or `bot`, `version` and `owner` of players."""
    return _named_players().where(event_players.c.id.in_(ids))


def current_players(event_id: int) -> Row:
    """Select the columns of `named_players` of house bots and entered bots' newest builds."""
    newest = (
        select(func.max(event_players.c.version_id))
        .select_from(event_players.join(versions, versions.c.id == event_players.c.version_id))
        .where(event_players.c.event_id == event_id, versions.c.bot_id == event_entries.c.bot_id)
        .correlate(event_entries)
        .scalar_subquery()
    )
    entered = select(newest).where(event_entries.c.event_id == event_id)
    return _named_players().where(
        event_players.c.event_id == event_id,
        event_players.c.house.is_not(None) | event_players.c.version_id.in_(entered),
    )


def frozen_players(event_id: int) -> Row:
    """Select `id` and `version_id` of the players that play with the builds of the freeze."""
    return (
        select(event_players.c.id, event_players.c.version_id)
        .join(event_builds, event_builds.c.version_id == event_players.c.version_id)
        .where(event_players.c.event_id == event_id, event_builds.c.event_id == event_id)
    )


def house_names(event_id: int) -> Row:
    """Select `id` and `house` of the players of an event's ladder that are house bots."""
    return select(event_players.c.id, event_players.c.house).where(
        event_players.c.event_id == event_id, event_players.c.house.is_not(None)
    )


def house_versions(event_id: int) -> Row:
    """Select `id` of the players of an event that are house bots, and the bots' `version_id`s."""
    return (
        select(event_players.c.id, versions.c.id.label("version_id"))
        .select_from(
            event_players.join(bots, (bots.c.name == event_players.c.house) & bots.c.house).join(
                versions, (versions.c.bot_id == bots.c.id) & versions.c.retired_at.is_(None)
            )
        )
        .where(event_players.c.event_id == event_id, bots.c.retired_at.is_(None))
    )


def _named_players() -> Row:
    return (
        select(event_players.c.id, event_players.c.house, event_players.c.version_id)
        .add_columns(bots.c.name.label("bot"), versions.c.label.label("version"))
        .add_columns(owners.c.name.label("owner"))
        .select_from(
            event_players.outerjoin(versions, versions.c.id == event_players.c.version_id)
            .outerjoin(bots, bots.c.id == versions.c.bot_id)
            .outerjoin(owners, owners.c.id == bots.c.owner_id)
        )
    )


def build_file(event_id: int, sha256: bytes) -> Row:
    """Select `data`: the bytes of a build that plays on an event's ladder."""
    return (
        select(build_files.c.data)
        .select_from(
            event_players.join(
                hosted_versions, hosted_versions.c.version_id == event_players.c.version_id
            )
            .join(builds, builds.c.id == hosted_versions.c.build_id)
            .join(build_files, build_files.c.build_id == builds.c.id)
        )
        .where(event_players.c.event_id == event_id, builds.c.sha256 == sha256)
        .limit(1)
    )


def count_block(ids: Collection[int]) -> ReturningUpdate[Any]:
    """Count a block for its players; the statement returns their ids."""
    return (
        update(event_players)
        .where(event_players.c.id.in_(ids))
        .values(blocks=event_players.c.blocks + 1)
        .returning(event_players.c.id)
    )


def give_back(ids: Collection[int]) -> Update:
    """Subtract a block from the counts of players that did not play it."""
    return (
        update(event_players)
        .where(event_players.c.id.in_(ids), event_players.c.blocks > 0)
        .values(blocks=event_players.c.blocks - 1)
    )
