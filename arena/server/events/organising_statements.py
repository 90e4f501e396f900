"""SQL statements about the organisers of events, and what they see; callers execute them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ScalarSelect, Subquery, cast, func, or_, select, union
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.dml import ReturningInsert

from arena.database.names import folded
from arena.database.statement import Row
from arena.database.tables.bots import bots, version_counts, versions
from arena.database.tables.events import (
    event_builds,
    event_entries,
    event_makers,
    event_organisers,
    event_people,
    events,
)
from arena.database.tables.owners import owners, sign_ins
from arena.database.tables.uploads import hosted_bots, hosted_versions, shifts
from arena.server.events.event_statements import connected_version


def maker(owner_id: int) -> Row:
    """Select `owner_id` if the owner may make events."""
    return select(event_makers.c.owner_id).where(event_makers.c.owner_id == owner_id)


def add_organiser(event_id: int, owner_id: int) -> ReturningInsert[Any]:
    """Make an owner an organiser of an event; the statement returns the owner's id."""
    put = insert(event_organisers).values(event_id=event_id, owner_id=owner_id)
    return put.on_conflict_do_nothing().returning(event_organisers.c.owner_id)


def organiser(event_id: int, owner_id: int) -> Row:
    """Select `owner_id` if the owner is an organiser of the event."""
    return select(event_organisers.c.owner_id).where(
        event_organisers.c.event_id == event_id, event_organisers.c.owner_id == owner_id
    )


def organised_by(owner_id: int, *, unfinished: bool = False) -> Row:
    """Select `event_id` of the events that an owner organises, or only of `unfinished` ones."""
    found = (
        select(event_organisers.c.event_id)
        .select_from(event_organisers.join(events))
        .where(event_organisers.c.owner_id == owner_id)
    )
    if unfinished:
        found = found.where(events.c.released_at.is_(None), events.c.cancelled_at.is_(None))
    return found


def participants(event_id: int, *, connected: bool) -> Row:
    """Select the owners on the roster of an event, and all who have entered.

    The columns are `owner_id` and `owner`; of the entry `bot`, `team`, `entered_at`, and `version`,
    `sha256` and `withdrawn` of the build that the freeze has fixed; `plays`, the label of the
    version that plays now, with `connected` also for bots without builds; `newest`, `state` and
    `reason` of the newest build; `matches` and `faults` of the bot; and `seen_at`, the owner's last
    sign of life. Missing values are None.
    Those who have entered come first, by the time of entry, then the others by name.
    """
    here = union(
        select(event_people.c.owner_id).where(event_people.c.event_id == event_id),
        select(event_entries.c.owner_id).where(event_entries.c.event_id == event_id),
    ).subquery()
    fixed, playing, label = versions.alias(), versions.alias(), versions.alias()
    newest, last, counts = hosted_versions.alias(), _newest_builds(event_id), _counts(event_id)
    plays = func.coalesce(playing.c.label, connected_version()) if connected else playing.c.label
    of_event = event_entries.c.event_id == event_id
    seen = func.greatest(event_entries.c.entered_at, _last_upload(), _last_visit(), _last_shift())
    return (
        select(owners.c.id.label("owner_id"), owners.c.name.label("owner"))
        .add_columns(bots.c.name.label("bot"), event_entries.c.team, event_entries.c.entered_at)
        .add_columns(fixed.c.label.label("version"), event_builds.c.sha256)
        .add_columns(event_builds.c.withdrawn_at.is_not(None).label("withdrawn"))
        .add_columns(plays.label("plays"), label.c.label.label("newest"))
        .add_columns(newest.c.state, newest.c.reason)
        .add_columns(counts.c.matches, counts.c.faults, seen.label("seen_at"))
        .select_from(
            here.join(owners, owners.c.id == here.c.owner_id)
            .outerjoin(event_entries, of_event & (event_entries.c.owner_id == owners.c.id))
            .outerjoin(bots, bots.c.id == event_entries.c.bot_id)
            .outerjoin(
                event_builds,
                (event_builds.c.event_id == event_id)
                & (event_builds.c.bot_id == event_entries.c.bot_id),
            )
            .outerjoin(fixed, fixed.c.id == event_builds.c.version_id)
            .outerjoin(hosted_bots, hosted_bots.c.bot_id == event_entries.c.bot_id)
            .outerjoin(playing, playing.c.id == hosted_bots.c.version_id)
            .outerjoin(last, last.c.bot_id == event_entries.c.bot_id)
            .outerjoin(newest, newest.c.version_id == last.c.version_id)
            .outerjoin(label, label.c.id == last.c.version_id)
            .outerjoin(counts, counts.c.bot_id == event_entries.c.bot_id)
        )
        .order_by(event_entries.c.entered_at.nulls_last(), owners.c.folded)
    )


def last_check(event_id: int, bot: str) -> Row:
    """Select `version`, `state` and `reason` of a bot's newest build, and `log` of its last check.

    There is no row unless the bot has entered the event. All are None if nothing was uploaded.
    """
    last = _newest_builds(event_id)
    log = (
        select(shifts.c.log)
        .where(shifts.c.version_id == last.c.version_id, shifts.c.check)
        .order_by(shifts.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    return (
        select(versions.c.label.label("version"), hosted_versions.c.state)
        .add_columns(hosted_versions.c.reason, log.label("log"))
        .select_from(
            event_entries.join(bots, bots.c.id == event_entries.c.bot_id)
            .outerjoin(last, last.c.bot_id == bots.c.id)
            .outerjoin(hosted_versions, hosted_versions.c.version_id == last.c.version_id)
            .outerjoin(versions, versions.c.id == last.c.version_id)
        )
        .where(event_entries.c.event_id == event_id, bots.c.folded == folded(bot))
    )


def owners_here(event_id: int, names: Sequence[str]) -> Row:
    """Select `id` and `folded` of the named owners who take part in an event."""
    on_roster = select(event_people.c.owner_id).where(event_people.c.event_id == event_id)
    entered = select(event_entries.c.owner_id).where(event_entries.c.event_id == event_id)
    return select(owners.c.id, owners.c.folded).where(
        owners.c.folded.in_([folded(one) for one in names]),
        or_(owners.c.id.in_(on_roster), owners.c.id.in_(entered)),
    )


def _newest_builds(event_id: int) -> Subquery:
    """Select `bot_id` and `version_id`, the newest upload of each bot that has entered."""
    return (
        select(versions.c.bot_id, func.max(hosted_versions.c.version_id).label("version_id"))
        .select_from(
            event_entries.join(versions, versions.c.bot_id == event_entries.c.bot_id).join(
                hosted_versions, hosted_versions.c.version_id == versions.c.id
            )
        )
        .where(event_entries.c.event_id == event_id)
        .group_by(versions.c.bot_id)
        .subquery()
    )


def _counts(event_id: int) -> Subquery:
    """Select `bot_id`, `matches` and `faults` of the bots that have entered."""
    counts = (version_counts.c.matches, version_counts.c.faults)
    # In Postgres the sum of 64-bit integers has the type numeric.
    sums = (cast(func.sum(one), one.type).label(one.name) for one in counts)
    return (
        select(versions.c.bot_id, *sums)
        .select_from(
            event_entries.join(versions, versions.c.bot_id == event_entries.c.bot_id).join(
                version_counts, version_counts.c.version_id == versions.c.id
            )
        )
        .where(event_entries.c.event_id == event_id)
        .group_by(versions.c.bot_id)
        .subquery()
    )


def _last_upload() -> "ScalarSelect[datetime]":
    """Select when the owner's newest version of any bot was made."""
    return (
        select(func.max(versions.c.created_at))
        .select_from(versions.join(bots))
        .where(bots.c.owner_id == owners.c.id)
        .correlate(owners)
        .scalar_subquery()
    )


def _last_visit() -> "ScalarSelect[datetime]":
    """Select when a sign-in of the owner was last used, to within an hour."""
    used = func.greatest(sign_ins.c.created_at, sign_ins.c.expires_at - sign_ins.c.idle_for)
    return (
        select(func.max(used))
        .where(sign_ins.c.owner_id == owners.c.id)
        .correlate(owners)
        .scalar_subquery()
    )


def _last_shift() -> "ScalarSelect[datetime]":
    """Select when the last shift of the bot that has entered began."""
    return (
        select(shifts.c.began_at)
        .where(shifts.c.version_id == hosted_bots.c.version_id)
        .order_by(shifts.c.id.desc())
        .limit(1)
        .correlate(hosted_bots)
        .scalar_subquery()
    )
