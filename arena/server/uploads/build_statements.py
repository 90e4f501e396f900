"""SQL statements about uploaded builds and hosted bots; callers execute them."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Delete,
    Insert,
    Select,
    Update,
    case,
    delete,
    exists,
    extract,
    func,
    not_,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import insert

from arena.builds.hosted import BuildState
from arena.database.names import folded
from arena.database.statement import Row
from arena.database.tables.bots import bots, versions
from arena.database.tables.events import event_builds, event_entries, events
from arena.database.tables.owners import owners
from arena.database.tables.tournaments import tournament_entries, tournaments
from arena.database.tables.uploads import build_files, builds, hosted_bots, hosted_versions, shifts
from arena.records import OwnerId, VersionId


def uploads_today(owner_id: OwnerId) -> Row:
    """Select `uploads` and `wait_seconds` of an owner's last 24 hours.

    `uploads` is the number of builds uploaded; `wait_seconds` is the time until the oldest of them
    is 24 hours old.
    """
    day = text("interval '1 day'")
    wait = extract("epoch", func.min(versions.c.created_at) + day - func.now())
    return (
        select(func.count().label("uploads"))
        .add_columns(wait.label("wait_seconds"))
        .select_from(hosted_versions.join(versions).join(bots))
        .where(bots.c.owner_id == owner_id, versions.c.created_at > func.now() - day)
    )


def other_hosted_bots(owner_id: OwnerId, bot: str) -> Row:
    """Select `bots`: the number of the owner's other bots in service with uploaded versions."""
    return (
        select(func.count(bots.c.id.distinct()).label("bots"))
        .select_from(hosted_versions.join(versions).join(bots))
        .where(
            bots.c.owner_id == owner_id,
            bots.c.folded != folded(bot),
            bots.c.retired_at.is_(None),
            versions.c.retired_at.is_(None),
            hosted_versions.c.state != BuildState.REFUSED.value,
        )
    )


def version_with_build(owner_id: OwnerId, bot: str, sha256: bytes) -> Row:
    """Select `version`: the bot's newest version with this build that is accepted or being checked.

    Its bytes are kept and it is not retired, so it plays or could play.
    """
    return (
        select(versions.c.label.label("version"))
        .select_from(hosted_versions.join(versions).join(bots).join(builds).join(build_files))
        .where(bots.c.owner_id == owner_id, bots.c.folded == folded(bot))
        .where(builds.c.sha256 == sha256)
        .where(versions.c.retired_at.is_(None))
        .where(hosted_versions.c.state != BuildState.REFUSED.value)
        .order_by(versions.c.id.desc())
        .limit(1)
    )


def same_build_of_others(owner_id: OwnerId, sha256: bytes) -> Row:
    """Select `bot`, `version`, `owner` of other owners' versions with this build, not refused."""
    return _versions_with_builds().where(builds.c.sha256 == sha256, builds.c.owner_id != owner_id)


def refused(version_ids: Collection[VersionId]) -> Row:
    """Select `version_id` of the given versions whose build was refused by its check."""
    return select(hosted_versions.c.version_id).where(
        hosted_versions.c.version_id.in_(version_ids),
        hosted_versions.c.state == BuildState.REFUSED.value,
    )


def identical_builds(most: int) -> Row:
    """Select the versions of builds that more than one owner has uploaded.

    The columns are `sha256`, `bot`, `version`, `owner` and `uploaded_at`. At most `most` builds are
    selected, newest first; the versions of each build are ordered from the oldest.
    """
    shared = (
        select(builds.c.sha256, func.max(builds.c.created_at).label("newest"))
        .group_by(builds.c.sha256)
        .having(func.count(builds.c.owner_id.distinct()) > 1)
        .order_by(func.max(builds.c.created_at).desc())
        .limit(most)
        .subquery()
    )
    return (
        _versions_with_builds()
        .add_columns(builds.c.sha256, versions.c.created_at.label("uploaded_at"))
        .join(shared, shared.c.sha256 == builds.c.sha256)
        .order_by(None)
        .order_by(shared.c.newest.desc(), builds.c.sha256, versions.c.id)
    )


def _versions_with_builds() -> Select[Any]:
    """Select `bot`, `version`, `owner` of all uploaded versions that were not refused."""
    return (
        select(bots.c.name.label("bot"), versions.c.label.label("version"))
        .add_columns(owners.c.name.label("owner"))
        .select_from(hosted_versions.join(versions).join(bots))
        .join(builds, builds.c.id == hosted_versions.c.build_id)
        .join(owners, owners.c.id == builds.c.owner_id)
        .where(hosted_versions.c.state != BuildState.REFUSED.value)
        .order_by(versions.c.id)
    )


def drop_old_files(owner_id: OwnerId, kept: int) -> Delete:
    """Delete the bytes of an owner's builds that are no longer needed.

    The `kept` builds uploaded last stay, and so do the builds that play, are being checked, or are
    entered in an event or tournament that is not over.
    """
    last = (
        select(hosted_versions.c.build_id)
        .select_from(hosted_versions.join(builds))
        .where(builds.c.owner_id == owner_id)
        .group_by(hosted_versions.c.build_id)
        .order_by(func.max(hosted_versions.c.version_id).desc())
        .limit(kept)
    )
    needed = (
        select(hosted_versions.c.build_id)
        .select_from(hosted_versions.outerjoin(hosted_bots))
        .where(
            or_(
                hosted_bots.c.bot_id.is_not(None),
                hosted_versions.c.state == BuildState.CHECKING.value,
            )
        )
    )
    frozen = select(event_builds.c.build_id).join(events).where(*_not_over())
    # A connected bot has no build, and with a NULL in the list NOT IN is never true.
    frozen = frozen.where(event_builds.c.build_id.is_not(None))
    entered = (
        select(hosted_versions.c.build_id)
        .join(tournament_entries, tournament_entries.c.version_id == hosted_versions.c.version_id)
        .join(tournaments)
        .where(tournaments.c.ended_at.is_(None))
    )
    return delete(build_files).where(
        build_files.c.build_id.not_in(frozen),
        build_files.c.build_id.not_in(entered),
        build_files.c.build_id.in_(select(builds.c.id).where(builds.c.owner_id == owner_id)),
        build_files.c.build_id.not_in(last),
        build_files.c.build_id.not_in(needed),
    )


def entered_events(owner_id: OwnerId, bot: str | None) -> Row:
    """Select the events that a bot, or any of an owner's bots, has entered and that are not over.

    They are in the order of their freeze. The columns are `name`, `freezes_at`, `results_at`,
    `practice` and `most_builds` of the event; `bot`, the bot's name; `builds`, the number of its
    builds uploaded since midnight UTC; `today`, that midnight; and `now`.
    """
    uploaded = (
        select(func.count())
        .select_from(hosted_versions.join(versions))
        .where(versions.c.bot_id == bots.c.id, versions.c.created_at >= _today())
        .correlate(bots)
        .scalar_subquery()
    )
    found = (
        select(events.c.name, events.c.freezes_at, events.c.results_at, events.c.practice)
        .add_columns(events.c.most_builds, bots.c.name.label("bot"), uploaded.label("builds"))
        .add_columns(_today().label("today"), func.clock_timestamp().label("now"))
        .join(event_entries, event_entries.c.event_id == events.c.id)
        .join(bots, bots.c.id == event_entries.c.bot_id)
        .where(*_not_over(), bots.c.owner_id == owner_id)
        .order_by(events.c.freezes_at)
    )
    return found if bot is None else found.where(bots.c.folded == folded(bot))


def builds_today(bot_id: int) -> Row:
    """Select `builds`: the number of a bot's builds uploaded since midnight UTC.

    `newest` is the time of the last upload, NULL without one; `today` is that midnight.
    """
    return (
        select(func.count().label("builds"), func.max(versions.c.created_at).label("newest"))
        .add_columns(_today().label("today"))
        .select_from(hosted_versions.join(versions))
        .where(versions.c.bot_id == bot_id, versions.c.created_at >= _today())
    )


def _today() -> ColumnElement[datetime]:
    return func.date_trunc("day", func.now(), "UTC")


def _not_over() -> tuple[ColumnElement[bool], ...]:
    """Return the conditions that an event is neither released nor cancelled."""
    return events.c.released_at.is_(None), events.c.cancelled_at.is_(None)


def begin_check(version_id: VersionId) -> Update:
    """Increment the number of checks of a version that is being checked; return the new number."""
    return (
        update(hosted_versions)
        .where(hosted_versions.c.version_id == version_id)
        .where(hosted_versions.c.state == BuildState.CHECKING.value)
        .values(checks=hosted_versions.c.checks + 1, reason="")
        .returning(hosted_versions.c.checks)
    )


def set_state(version_id: VersionId, state: BuildState, reason: str) -> Update:
    """Set the state of a build, or the step of its check, unless the check is already decided."""
    return (
        update(hosted_versions)
        .where(hosted_versions.c.version_id == version_id)
        .where(hosted_versions.c.state == BuildState.CHECKING.value)
        .values(state=state.value, reason=reason)
        .returning(hosted_versions.c.version_id)
    )


def host(bot_id: int, version_id: VersionId, *, newer_only: bool) -> Insert:
    """Make a bot play a version; with `newer_only`, only if its current version is not newer."""
    put = insert(hosted_bots).values(bot_id=bot_id, version_id=version_id)
    return put.on_conflict_do_update(
        index_elements=[hosted_bots.c.bot_id],
        set_={"version_id": version_id},
        where=hosted_bots.c.version_id < version_id if newer_only else None,
    )


def owned_builds(owner_id: OwnerId, bot: str | None = None, version: str = "") -> Row:
    """Select the uploaded versions of an owner, of one bot, or a single version; newest first.

    The columns are `version_id`, `bot_id`, `retired_at`, those of HostedBuild, and `cut_short`: the
    outcome of the newest shift of play if its program cut it short, otherwise "".
    """
    running = exists().where(
        shifts.c.version_id == hosted_versions.c.version_id, shifts.c.ended_at.is_(None)
    )
    last = (
        select(case((shifts.c.cut_short, shifts.c.outcome), else_=""))
        .where(shifts.c.version_id == hosted_versions.c.version_id, not_(shifts.c.check))
        .order_by(shifts.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    kept = exists().where(build_files.c.build_id == builds.c.id)
    found = (
        select(hosted_versions.c.version_id, bots.c.name.label("bot"))
        .add_columns(versions.c.label.label("version"), builds.c.sha256, builds.c.size)
        .add_columns(versions.c.created_at.label("uploaded_at"), hosted_versions.c.state)
        .add_columns(hosted_versions.c.reason, hosted_bots.c.bot_id.is_not(None).label("plays"))
        .add_columns(kept.label("kept"), running.label("running"), bots.c.id.label("bot_id"))
        .add_columns(func.coalesce(bots.c.retired_at, versions.c.retired_at).label("retired_at"))
        .add_columns(last.label("cut_short"))
        .select_from(
            hosted_versions.join(versions)
            .join(bots)
            .join(builds)
            .outerjoin(hosted_bots, hosted_bots.c.version_id == hosted_versions.c.version_id)
        )
        .where(bots.c.owner_id == owner_id)
        .order_by(hosted_versions.c.version_id.desc())
    )
    if bot is not None:
        found = found.where(bots.c.folded == folded(bot))
    return found.where(versions.c.label == version) if version else found
