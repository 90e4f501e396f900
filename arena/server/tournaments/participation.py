"""Whether versions of bots can play, and why one is absent: one query and its sentences."""

from collections.abc import Collection
from datetime import timedelta
from shlex import quote
from typing import Any, Final, NamedTuple

from sqlalchemy import Row, any_, func, literal, select

from arena.database.statement import Row as Statement
from arena.database.tables.bots import bots, versions
from arena.database.tables.owners import owners
from arena.database.tables.running import leases, presence
from arena.database.tables.uploads import build_files, hosted_bots, hosted_versions, shifts
from arena.games import GAMES
from arena.server.failover.lease_monitor import STILL_SECONDS

NOT_CONNECTED: Final = "not connected"
NO_SLOT: Final = "waits for a worker's slot"
STARTS: Final = "its shift begins"
CUT_SHORT: Final = "its program ended its last shift"
LACKS_A_SLOT: Final = (NO_SLOT, STARTS)
"""The absences of hosted bots that only wait for a slot, or are starting."""


class Participation(NamedTuple):
    """Whether a version can play."""

    obstacle: str
    """Why it cannot play until a person changes something, with what to do; "" if it can."""
    absence: str
    """Why it is not here to play now; "" if it is."""
    plays: str | None
    """The label of the version that plays for its bot, if the arena hosts the bot."""


def participation(version_ids: Collection[int], game: str) -> Statement:
    """Select whether each version can play, and the reasons if not.

    The columns are `version_id`, `bot`, `owner`, `retired`, `frozen`, `paused`, `banned`, `state`
    (of an uploaded version's check), `kept` (whether its build's bytes are), `plays` (the
    label of the version that plays for a hosted bot), `shift` (whether one runs), `cut_short`
    (whether its program ended the last one), `connected` and `able` (whether a connected copy plays
    the game).
    """
    playing = versions.alias()
    copy = (
        select(presence.c.version_id)
        .join(leases)
        .where(presence.c.version_id == versions.c.id, presence.c.connected)
        .where(leases.c.released_at.is_(None))
    )
    able = copy.where(literal(game) == any_(presence.c.games))
    shift = select(shifts.c.id).where(
        shifts.c.version_id == versions.c.id, shifts.c.ended_at.is_(None), ~shifts.c.check
    )
    last = (
        select(shifts.c.cut_short)
        .where(shifts.c.version_id == versions.c.id, ~shifts.c.check)
        .order_by(shifts.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    retired = func.coalesce(bots.c.retired_at, versions.c.retired_at)
    return (
        select(versions.c.id.label("version_id"), bots.c.name.label("bot"))
        .add_columns(owners.c.name.label("owner"))
        .add_columns(retired.is_not(None).label("retired"))
        .add_columns(bots.c.frozen_at.is_not(None).label("frozen"))
        .add_columns(bots.c.paused_at.is_not(None).label("paused"))
        .add_columns(owners.c.banned_at.is_not(None).label("banned"))
        .add_columns(hosted_versions.c.state, playing.c.label.label("plays"))
        .add_columns(build_files.c.build_id.is_not(None).label("kept"))
        .add_columns(
            last.label("cut_short"), shift.exists().label("shift"), copy.exists().label("connected")
        )
        .add_columns(able.exists().label("able"))
        .select_from(
            versions.join(bots)
            .join(owners)
            .outerjoin(hosted_versions, hosted_versions.c.version_id == versions.c.id)
            .outerjoin(build_files, build_files.c.build_id == hosted_versions.c.build_id)
            .outerjoin(hosted_bots, hosted_bots.c.bot_id == bots.c.id)
            .outerjoin(playing, playing.c.id == hosted_bots.c.version_id)
        )
        .where(versions.c.id.in_(version_ids))
    )


def can_be_run(version_ids: Collection[int]) -> Statement:
    """Select the ids of the given versions that a worker can run."""
    return (
        select(versions.c.id)
        .select_from(
            versions.join(bots)
            .join(owners)
            .join(hosted_versions, hosted_versions.c.version_id == versions.c.id)
            .join(build_files, build_files.c.build_id == hosted_versions.c.build_id)
        )
        .where(versions.c.id.in_(version_ids), hosted_versions.c.state == "accepted")
        .where(versions.c.retired_at.is_(None), bots.c.retired_at.is_(None))
        .where(bots.c.frozen_at.is_(None), bots.c.paused_at.is_(None), owners.c.banned_at.is_(None))
    )


def referees() -> Statement:
    """Select `running`, the number of running referees, and `late`.

    `late` is whether one of them has not renewed its lease lately: it may have connected bots that
    it has not reported.
    """
    late = leases.c.renewed_at < func.now() - timedelta(seconds=STILL_SECONDS)
    return (
        select(func.count().label("running"))
        .add_columns(func.coalesce(func.bool_or(late), False).label("late"))
        .where(leases.c.released_at.is_(None))
    )


def obstacle(row: Row[Any]) -> str:
    """Return why a version cannot play until a person changes something, with what to do.

    Returns "" if it can play.
    """
    if row.retired:
        return "is retired permanently: name another version"
    if row.banned:
        undo = f"arena owner ban --undo {quote(row.owner)}"
        return f"belongs to an owner that is banned: `{undo}` admits it again"
    if row.frozen:
        return f"is frozen by the operator: `arena bot freeze --undo {quote(row.bot)}` lets it play"
    if row.paused:
        return f"is paused by its owner, who lets it play by `arena bot resume {quote(row.bot)}`"
    if row.state == "refused":
        return "was refused by its check: name a version that was accepted"
    if row.state == "checking":
        return "has not passed its check yet: wait until `arena bot builds` says that it plays"
    if row.state is not None and not row.kept:
        return "has no build any more, only the last ones are kept: name a newer version"
    return ""


def absence_told(row: Row[Any], game: str, told: Row[Any]) -> str:
    """Return why a version is absent, in a few words; `told` is the row of `referees`."""
    why = absence(row, game)
    if why != NOT_CONNECTED or (told.running and not told.late):
        return why
    return "not known: a referee does not respond" if told.running else "no referee runs"


def absence(row: Row[Any], game: str) -> str:
    """Return why a version is not here to play a game now, in a few words; "" if it is."""
    if row.connected:
        return "" if row.able else f"does not play {GAMES[game].title}"
    if row.retired:
        return "retired"
    if row.banned:
        return "its owner is banned"
    if row.frozen:
        return "frozen by the operator"
    if row.paused:
        return "paused by its owner"
    if row.state == "refused":
        return "refused by its check"
    if row.state == "checking":
        return "not checked yet"
    if row.state is not None and not row.kept:
        return "its build is not kept any more"
    if row.state is not None:
        if row.shift:
            return STARTS
        return CUT_SHORT if row.cut_short else NO_SLOT
    return NOT_CONNECTED
