"""SQL statements about owners and their bots as operators see them; callers execute them."""

from collections.abc import Collection
from enum import Enum

from sqlalchemy import ColumnElement, and_, exists, func, or_, select, true

from arena.builds.hosted import BuildState
from arena.database.statement import Row
from arena.database.tables.bots import bots, version_counts, versions
from arena.database.tables.matches import matches
from arena.database.tables.owners import audit, owners
from arena.database.tables.uploads import builds, hosted_versions
from arena.records import OwnerId
from arena.server.accounts.bot_statements import begins_with

MOST_BOTS = 5_000
"""The most bots selected for a page of owners."""


class OwnersWith(Enum):
    """The kinds of owners that can be listed."""

    ALL = "all"
    BAN_OR_FREEZE = "banned or frozen"
    REFUSED_BUILD = "newest upload refused"
    IDENTICAL_BUILD = "identical builds"
    FAULTS = "faults"


def owner_page(prefix: str, kind: OwnersWith, invite: int, after: str, limit: int) -> Row:
    """Select owners by name, beginning after the folded name `after`.

    The columns are `id`, `name`, `folded`, `created_at`, `banned_at`, `operator_since` and
    `invite`, the number of the invite with which the owner signed up.
    """
    signed_up = and_(audit.c.action == "sign up", audit.c.subject == owners.c.name)
    by_invite = audit.c.details["invite"].as_integer()
    of_invite = select(by_invite).where(signed_up).order_by(audit.c.id.desc()).limit(1)
    return (
        select(owners.c.id, owners.c.name, owners.c.folded, owners.c.created_at)
        .add_columns(owners.c.banned_at, owners.c.operator_since)
        .add_columns(of_invite.scalar_subquery().label("invite"))
        .where(owners.c.folded > after, begins_with(owners.c.folded, prefix) if prefix else true())
        .where(_is(kind))
        .where(exists().where(signed_up, by_invite == invite) if invite else true())
        .order_by(owners.c.folded)
        .limit(limit)
    )


def _is(kind: OwnersWith) -> ColumnElement[bool]:
    of_owner = bots.c.owner_id == owners.c.id
    match kind:
        case OwnersWith.ALL:
            return true()
        case OwnersWith.BAN_OR_FREEZE:
            frozen = exists().where(of_owner, bots.c.frozen_at.is_not(None))
            return or_(owners.c.banned_at.is_not(None), frozen)
        case OwnersWith.REFUSED_BUILD:
            later, newer = versions.alias("later"), hosted_versions.alias("newer")
            newer_upload = (
                select(newer.c.version_id)
                .join(later, later.c.id == newer.c.version_id)
                .where(later.c.bot_id == bots.c.id, later.c.id > versions.c.id)
                .correlate(bots, versions)
                .exists()
            )
            refused = (
                select(hosted_versions.c.version_id)
                .join(versions, versions.c.id == hosted_versions.c.version_id)
                .join(bots, bots.c.id == versions.c.bot_id)
                .where(of_owner, bots.c.retired_at.is_(None), ~newer_upload)
                .where(hosted_versions.c.state == BuildState.REFUSED.value)
            )
            return refused.correlate(owners).exists()
        case OwnersWith.IDENTICAL_BUILD:
            other = builds.alias("other")
            same = and_(other.c.sha256 == builds.c.sha256, other.c.owner_id != builds.c.owner_id)
            found = select(builds.c.id).join(other, same).where(builds.c.owner_id == owners.c.id)
            return found.correlate(owners).exists()
        case OwnersWith.FAULTS:
            faulty = (
                select(versions.c.id)
                .join(version_counts)
                .join(bots, bots.c.id == versions.c.bot_id)
            )
            return faulty.where(of_owner, version_counts.c.faults > 0).correlate(owners).exists()


def bots_of(owner_ids: Collection[OwnerId]) -> Row:
    """Select the bots of owners by name, without retired bots.

    The columns are `owner_id`, `name`, `frozen_at` and `paused_at`; `version`, `registered_at`,
    `state`, `reason` and `sha256` of the newest version (the last three are NULL if its owner runs
    it); and `matches` and `faults`, summed over all versions.
    """
    newest = (
        select(versions.c.id, versions.c.label, versions.c.created_at)
        .where(versions.c.bot_id == bots.c.id)
        .order_by(versions.c.id.desc())
        .limit(1)
        .lateral("newest")
    )
    every = versions.alias("every")
    counts = (
        select(
            func.coalesce(func.sum(version_counts.c.matches), 0).label("matches"),
            func.coalesce(func.sum(version_counts.c.faults), 0).label("faults"),
        )
        .select_from(version_counts.join(every, every.c.id == version_counts.c.version_id))
        .where(every.c.bot_id == bots.c.id)
        .lateral("counts")
    )
    return (
        select(bots.c.owner_id, bots.c.name, bots.c.frozen_at, bots.c.paused_at)
        .add_columns(newest.c.label.label("version"), newest.c.created_at.label("registered_at"))
        .add_columns(hosted_versions.c.state, hosted_versions.c.reason, builds.c.sha256)
        .add_columns(counts.c.matches, counts.c.faults)
        .select_from(
            bots.join(newest, true())
            .join(counts, true())
            .outerjoin(hosted_versions, hosted_versions.c.version_id == newest.c.id)
            .outerjoin(builds, builds.c.id == hosted_versions.c.build_id)
        )
        .where(bots.c.owner_id.in_(owner_ids), bots.c.retired_at.is_(None))
        .order_by(bots.c.folded)
        .limit(MOST_BOTS)
    )


def owners_of_builds(sha256s: Collection[bytes]) -> Row:
    """Select `sha256`, `owner_id`, `owner` of all who uploaded these builds, earliest first."""
    return (
        select(builds.c.sha256, builds.c.owner_id, owners.c.name.label("owner"))
        .join(owners, owners.c.id == builds.c.owner_id)
        .where(builds.c.sha256.in_(sha256s))
        .order_by(builds.c.id)
    )


def block_of(match_id: str) -> Row:
    """Select `block_id` of a match."""
    return select(matches.c.block_id).where(matches.c.id == match_id)
