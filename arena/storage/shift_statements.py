"""SQL statements about workers and the shifts that they run, built here, run elsewhere."""

from typing import Any

from sqlalchemy import (
    ARRAY,
    Delete,
    Insert,
    Text,
    Update,
    and_,
    delete,
    func,
    not_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert

from arena.builds.hosted import BuildState, ShiftId
from arena.records import VersionId
from arena.storage.bot_statements import all_versions
from arena.storage.hosting_tables import (
    build_files,
    builds,
    hosted_bots,
    hosted_versions,
    shifts,
    workers,
)
from arena.storage.owner_tables import owners
from arena.storage.statements import Row
from arena.storage.tables import bots, match_seats, matches, versions

MOST_MATCHES_OF_A_SHIFT = 100
_in_service = and_(
    bots.c.retired_at.is_(None),
    versions.c.retired_at.is_(None),
    bots.c.frozen_at.is_(None),
    owners.c.banned_at.is_(None),
)


def set_worker(name: str, sha256: bytes) -> Insert:
    """Adds a worker, or gives it a new token."""
    put = insert(workers).values(name=name, sha256=sha256)
    return put.on_conflict_do_update(index_elements=[workers.c.name], set_={"sha256": sha256})


def remove_worker(name: str) -> Update:
    """Takes a worker's token away; returns its id."""
    return (
        update(workers)
        .where(workers.c.name == name, workers.c.sha256.is_not(None))
        .values(sha256=None)
        .returning(workers.c.id)
    )


def worker_by_token(sha256: bytes) -> Row:
    """id, name."""
    return select(workers.c.id, workers.c.name).where(workers.c.sha256 == sha256)


def worker_tokens() -> Row:
    """sha256, of all workers' tokens."""
    return select(workers.c.sha256).where(workers.c.sha256.is_not(None))


def worker_list() -> Row:
    """The columns of WorkerSeen, by name."""
    running = (
        select(func.count())
        .where(shifts.c.worker_id == workers.c.id, shifts.c.ended_at.is_(None))
        .scalar_subquery()
    )
    return (
        select(workers.c.name, workers.c.created_at, workers.c.seen_at, running.label("shifts"))
        .where(workers.c.sha256.is_not(None))
        .order_by(workers.c.name)
    )


def version_to_play(bot_id: int) -> Row:
    """version_id, bot_id, bot, version, owner, sha256, file_name: what a bot plays, if it may."""
    return (
        _version_to_run()
        .join(hosted_bots, hosted_bots.c.version_id == hosted_versions.c.version_id)
        .where(hosted_bots.c.bot_id == bot_id)
    )


def version_to_check(version_id: VersionId) -> Row:
    """The columns of `version_to_play`, of a version that waits for its check."""
    return _version_to_run().where(
        hosted_versions.c.version_id == version_id,
        hosted_versions.c.state == BuildState.CHECKING.value,
    )


def _version_to_run() -> Row:
    return (
        select(hosted_versions.c.version_id, bots.c.id.label("bot_id"), bots.c.name.label("bot"))
        .add_columns(versions.c.label.label("version"), owners.c.name.label("owner"))
        .add_columns(builds.c.sha256, builds.c.file_name)
        .select_from(hosted_versions)
        .join(versions, versions.c.id == hosted_versions.c.version_id)
        .join(bots, bots.c.id == versions.c.bot_id)
        .join(owners, owners.c.id == bots.c.owner_id)
        .join(builds, builds.c.id == hosted_versions.c.build_id)
        .where(_in_service)
    )


def add_shift(values: dict[str, Any]) -> Insert:
    """Adds a shift; returns its id."""
    return insert(shifts).values(values).returning(shifts.c.id)


def tell_seen(worker_id: int) -> Update:
    """Notes that a worker begins a shift."""
    return update(workers).where(workers.c.id == worker_id).values(seen_at=func.now())


def running_shift(shift_id: ShiftId, worker_id: int) -> Row:
    """version_id, check, bot_id, bot, version, build_id: of a shift that this worker runs."""
    return (
        select(shifts.c.version_id, shifts.c.check, bots.c.id.label("bot_id"))
        .add_columns(bots.c.name.label("bot"), versions.c.label.label("version"))
        .add_columns(hosted_versions.c.build_id)
        .select_from(shifts.join(hosted_versions))
        .join(versions, versions.c.id == shifts.c.version_id)
        .join(bots, bots.c.id == versions.c.bot_id)
        .where(shifts.c.id == shift_id, shifts.c.worker_id == worker_id)
        .where(shifts.c.ended_at.is_(None))
    )


def file_of(build_id: int) -> Row:
    """data."""
    return select(build_files.c.data).where(build_files.c.build_id == build_id)


def end_shift(shift_id: ShiftId, outcome: str, log: str) -> Update:
    """Ends a shift; its token is not valid any more."""
    return (
        update(shifts)
        .where(shifts.c.id == shift_id)
        .values(ended_at=func.now(), token_sha256=None, outcome=outcome, log=log)
    )


def end_late_shifts() -> Update:
    """Ends all shifts of which nothing more was heard; returns their ids."""
    return (
        update(shifts)
        .where(shifts.c.ended_at.is_(None), shifts.c.expires_at < func.now())
        .values(ended_at=func.now(), token_sha256=None, outcome="The worker was lost.")
        .returning(shifts.c.id)
    )


def drop_old_shifts(version_id: VersionId, kept: int) -> Delete:
    """Removes the shifts of a version that ended, but the last."""
    last = (
        select(shifts.c.id)
        .where(shifts.c.version_id == version_id)
        .order_by(shifts.c.id.desc())
        .limit(kept)
    )
    return delete(shifts).where(
        shifts.c.version_id == version_id,
        shifts.c.ended_at.is_not(None),
        not_(shifts.c.check),
        shifts.c.id.not_in(last),
    )


def shifts_of(version_id: VersionId) -> Row:
    """The columns of HostedShift, newest first."""
    ended = func.coalesce(shifts.c.ended_at, func.now())
    begun = (
        select(match_seats.c.match_id)
        .select_from(match_seats.join(matches))
        .where(match_seats.c.version_id == shifts.c.version_id)
        # Which started in the shift; an index leads to those that had not ended before it.
        .where(match_seats.c.finished_at >= shifts.c.began_at)
        .where(matches.c.started_at.between(shifts.c.began_at, ended))
        .group_by(match_seats.c.match_id, matches.c.started_at)
        .order_by(matches.c.started_at)
        .limit(MOST_MATCHES_OF_A_SHIFT)
        .correlate(shifts)
        .scalar_subquery()
    )
    return (
        select(shifts.c.began_at, shifts.c.ended_at, shifts.c.check, shifts.c.outcome)
        .add_columns(shifts.c.log, func.array(begun, type_=ARRAY(Text)).label("match_ids"))
        .where(shifts.c.version_id == version_id)
        .order_by(shifts.c.id.desc())
    )


def version_by_shift_token(sha256: bytes) -> Row:
    """The columns of `bot_statements.version_by_token`, by the token of a running shift."""
    return (
        all_versions()
        .add_columns(bots.c.frozen_at, owners.c.banned_at)
        .join(shifts, shifts.c.version_id == versions.c.id)
        .where(shifts.c.token_sha256 == sha256, shifts.c.expires_at > func.now())
    )


def shift_expiry(seconds: float) -> Any:
    """When a shift that begins now has been lost."""
    return func.now() + func.make_interval(0, 0, 0, 0, 0, 0, seconds)
