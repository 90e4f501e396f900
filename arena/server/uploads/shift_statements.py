"""SQL statements about workers and the shifts that they run; callers execute them."""

from datetime import datetime, timedelta

from sqlalchemy import ARRAY, Delete, Text, Update, and_, delete, func, not_, or_, select, update

from arena.builds.hosted import CHECK_TASK, PLAY_TASK, TOURNAMENT_TASK, BuildState, ShiftId
from arena.database.names import folded
from arena.database.statement import Row
from arena.database.tables.bots import bots, versions
from arena.database.tables.matches import match_seats, matches
from arena.database.tables.owners import owners
from arena.database.tables.tournaments import tournament_entries, tournaments
from arena.database.tables.uploads import builds, hosted_bots, hosted_versions, shifts
from arena.records import OwnerId, VersionId
from arena.server.accounts.bot_statements import all_versions, pace

MOST_MATCHES_OF_A_SHIFT = 100
_LATER = timedelta(minutes=1)
_in_service = and_(
    bots.c.retired_at.is_(None),
    versions.c.retired_at.is_(None),
    bots.c.frozen_at.is_(None),
    bots.c.paused_at.is_(None),
    owners.c.banned_at.is_(None),
)


def version_to_play(bot_id: int) -> Row:
    """Select the version that a bot plays on the ladder, if it is in service.

    The columns are `version_id`, `bot_id`, `bot`, `version`, `owner`, `sha256` and `file_name`.
    """
    return (
        _version_to_run()
        .join(hosted_bots, hosted_bots.c.version_id == hosted_versions.c.version_id)
        .where(hosted_bots.c.bot_id == bot_id, not_(func.plays_privately(bots.c.id)))
    )


def version_for_tournament(version_id: VersionId) -> Row:
    """Select the columns of `version_to_play` of an accepted version that a tournament wants."""
    entered = (
        select(tournament_entries.c.number)
        .join(tournaments)
        .where(tournament_entries.c.version_id == version_id)
        .where(tournament_entries.c.withdrawn_at.is_(None), tournaments.c.state == "running")
    )
    return _version_to_run().where(
        hosted_versions.c.version_id == version_id,
        hosted_versions.c.state == BuildState.ACCEPTED.value,
        entered.exists(),
    )


def version_to_check(version_id: VersionId) -> Row:
    """Select the columns of `version_to_play` of a version that is being checked."""
    return _version_to_run().where(
        hosted_versions.c.version_id == version_id,
        hosted_versions.c.state == BuildState.CHECKING.value,
    )


def _version_to_run() -> Row:
    """Select the columns of `version_to_play` of all uploaded versions in service."""
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


def running_shift(shift_id: ShiftId, worker_id: int) -> Row:
    """Select a running shift of this worker.

    The columns are `version_id`, `check`, `tournament`, `began_at`, `bot_id`, `bot`, `version`,
    `build_id` and `now`.
    """
    return (
        select(shifts.c.version_id, shifts.c.check, shifts.c.tournament, shifts.c.began_at)
        .add_columns(bots.c.id.label("bot_id"))
        .add_columns(bots.c.name.label("bot"), versions.c.label.label("version"))
        .add_columns(hosted_versions.c.build_id, func.now().label("now"))
        .select_from(shifts.join(hosted_versions))
        .join(versions, versions.c.id == shifts.c.version_id)
        .join(bots, bots.c.id == versions.c.bot_id)
        .where(shifts.c.id == shift_id, shifts.c.worker_id == worker_id)
        .where(shifts.c.ended_at.is_(None))
    )


def end_shift(shift_id: ShiftId, outcome: str, log: str, *, cut_short: bool) -> Update:
    """End a shift and revoke its token."""
    ended = {"ended_at": func.now(), "token_sha256": None}
    told = {"outcome": outcome, "log": log, "cut_short": cut_short}
    return update(shifts).where(shifts.c.id == shift_id).values(ended | told)


def begun_since(task: str, value: int, since: datetime) -> Row:
    """Select `id`, `worker_id`, `ended_at` of the shifts of a job begun at `since` or later.

    `value` is the bot's id for PLAY_TASK, and the version's id for the other tasks.
    """
    of_job = {
        PLAY_TASK: and_(versions.c.bot_id == value, not_(or_(shifts.c.check, shifts.c.tournament))),
        TOURNAMENT_TASK: and_(shifts.c.version_id == value, shifts.c.tournament),
        CHECK_TASK: and_(shifts.c.version_id == value, shifts.c.check),
    }
    return (
        select(shifts.c.id, shifts.c.worker_id, shifts.c.ended_at)
        .join(versions, versions.c.id == shifts.c.version_id)
        .where(shifts.c.began_at >= since, of_job[task])
    )


def cut_short_in_a_row(version_id: int) -> Row:
    """Select `times`: the number of shifts of play cut short since the last one that was not."""
    played = and_(shifts.c.version_id == version_id, not_(shifts.c.check))
    whole = select(func.coalesce(func.max(shifts.c.id), 0)).where(
        played, shifts.c.ended_at.is_not(None), not_(shifts.c.cut_short)
    )
    return select(func.count().label("times")).where(
        played, shifts.c.cut_short, shifts.c.id > whole.scalar_subquery()
    )


def end_lost_shifts(worker_id: int | None = None) -> Update:
    """End all expired shifts, or all of one worker; return the ids of their versions."""
    lost = (
        shifts.c.expires_at < func.now() if worker_id is None else shifts.c.worker_id == worker_id
    )
    return (
        update(shifts)
        .where(shifts.c.ended_at.is_(None), lost)
        .values(ended_at=func.now(), token_sha256=None, outcome="The worker was lost.")
        .returning(shifts.c.version_id)
    )


def drop_old_shifts(version_id: VersionId, kept: int) -> Delete:
    """Delete a version's ended shifts of play, except those among its last `kept` shifts."""
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
    """Select the columns of HostedShift of a version's shifts, newest first."""
    ended = func.coalesce(shifts.c.ended_at, func.now())
    begun = (
        select(match_seats.c.match_id)
        .select_from(match_seats.join(matches))
        .where(match_seats.c.version_id == shifts.c.version_id)
        # The next condition suffices, but with this one an index skips earlier matches.
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


def match_of(owner_id: OwnerId, bot: str, match_id: str) -> Row:
    """Select `version_id`, `version`, `started_at`, `finished_at` of a match of an owner's bot."""
    return (
        select(match_seats.c.version_id, versions.c.label.label("version"))
        .add_columns(matches.c.started_at, matches.c.finished_at)
        .select_from(match_seats.join(matches))
        .join(versions, versions.c.id == match_seats.c.version_id)
        .join(bots, bots.c.id == versions.c.bot_id)
        .where(match_seats.c.match_id == match_id)
        .where(bots.c.owner_id == owner_id, bots.c.folded == folded(bot))
        .limit(1)  # in a challenge one bot may hold several seats
    )


def shift_of(version_id: VersionId, started_at: datetime) -> Row:
    """Select `began_at`, `ended_at`, `log` of the shift in which a match of a version started."""
    return (
        select(shifts.c.began_at, shifts.c.ended_at, shifts.c.log)
        .where(shifts.c.version_id == version_id, not_(shifts.c.check))
        .where(shifts.c.began_at <= started_at)
        .where(func.coalesce(shifts.c.ended_at, func.now()) >= started_at)
        .order_by(shifts.c.id.desc())
        .limit(1)
    )


def played_since(version_id: int, since: datetime) -> Row:
    """Select a version's `pace`, its number of `matches` ended since `since`, and `now`."""
    played = (
        select(func.count(match_seats.c.match_id.distinct()))
        .where(match_seats.c.version_id == version_id, match_seats.c.finished_at >= since)
        .scalar_subquery()
    )
    return (
        select(pace, played.label("matches"), func.now().label("now"))
        .select_from(versions.join(bots))
        .where(versions.c.id == version_id)
    )


def matches_between(
    version_id: VersionId, start: datetime, end: datetime, shift_ended_at: datetime
) -> Row:
    """Select `matches`: the number of matches that a version played in a part of a shift."""
    return (
        select(func.count(match_seats.c.match_id.distinct()).label("matches"))
        .select_from(match_seats.join(matches))
        .where(match_seats.c.version_id == version_id)
        # All matches of a shift end with it or shortly after.
        .where(match_seats.c.finished_at.between(start, shift_ended_at + _LATER))
        .where(matches.c.started_at <= end)
    )


def version_by_shift_token(sha256: bytes) -> Row:
    """Select the version that a running shift with this token plays.

    The columns are those of `bot_statements.versions_by_token` except `sha256`, and `tournament`.
    """
    return (
        all_versions()
        .add_columns(bots.c.frozen_at, bots.c.paused_at, pace, owners.c.banned_at)
        .add_columns(shifts.c.tournament)
        .join(shifts, shifts.c.version_id == versions.c.id)
        .where(shifts.c.token_sha256 == sha256, shifts.c.expires_at > func.now())
    )
