"""SQL statements about owners, keys, invites and the audit; this module builds them."""

from typing import Any

from sqlalchemy import Insert, Update, and_, delete, func, or_, select, true, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.dml import ReturningDelete

from arena.database.names import folded
from arena.database.statement import Row
from arena.database.tables.bots import bots, version_counts, versions
from arena.database.tables.events import event_entries, events
from arena.database.tables.owners import invites, owner_keys, owner_members, owners
from arena.records import OwnBots
from arena.server.accounts.bot_statements import begins_with, folded_of, name_columns, pace
from arena.server.accounts.sign_in_statements import owners_by_key


def add_owner(name: str) -> Insert:
    """Return a statement that adds an owner, unless an owner has that name or a similar one.

    It returns the owner's id.
    """
    values = name_columns(name)
    return insert(owners).values(values).on_conflict_do_nothing().returning(owners.c.id)


def owner_named(name: str) -> Row:
    """Return a statement that selects the owner of a name.

    Columns: id, name, created_at, banned_at, bots (those in service), has_key, operator_since.
    """
    return owner_list().where(owners.c.folded == folded(name))


def owner_by_key(sha256: bytes) -> Row:
    """Return a statement that selects an owner by a key, with the columns of `owner_list`.

    `sha256` is the hash of the owner's own key, a member's or a sign-in's. There are two more
    columns, `member` (its name) and `member_id`: NULL if the key is not a member's.
    """
    found = owners_by_key(sha256).subquery()
    return (
        owner_list()
        .add_columns(found.c.member, found.c.member_id)
        .join(found, found.c.owner_id == owners.c.id)
    )


def owner_list(*, search: str = "", limit: int | None = None) -> Row:
    """Return a statement that selects the owners whose name begins with `search`, by name.

    Columns: id, name, created_at, banned_at, bots (those in service), has_key, operator_since.
    """
    in_service = (
        select(func.count())
        .where(bots.c.owner_id == owners.c.id, bots.c.retired_at.is_(None))
        .scalar_subquery()
    )
    return (
        select(owners.c.id, owners.c.name, owners.c.created_at, owners.c.banned_at)
        .add_columns(in_service.label("bots"), owner_keys.c.sha256.is_not(None).label("has_key"))
        .add_columns(owners.c.operator_since)
        .select_from(owners.outerjoin(owner_keys))
        .where(begins_with(owners.c.folded, search) if search else true())
        .order_by(owners.c.folded)
        .limit(limit)
    )


def lock_owner(owner_id: int) -> Row:
    """Return a statement that selects an owner and locks it until the end of the transaction.

    Columns: name, banned_at, operator_since. Meanwhile no other transaction with this lock adds
    bots or versions to the owner.
    """
    return (
        select(owners.c.name, owners.c.banned_at, owners.c.operator_since)
        .where(owners.c.id == owner_id)
        .with_for_update()
    )


def bots_in_service(owner_id: int) -> Row:
    """Return a statement that counts the owner's bots that are not retired. Column: bots."""
    return select(func.count().label("bots")).where(
        bots.c.owner_id == owner_id, bots.c.retired_at.is_(None)
    )


def owned_versions(owner_id: int, wanted: OwnBots) -> Row:
    """Return a statement that selects an owner's versions, by bot and newest first.

    Columns: those of OwnedVersion.
    """
    retired = func.coalesce(bots.c.retired_at, versions.c.retired_at)
    found = (
        select(versions.c.id, bots.c.name.label("bot"), versions.c.label.label("version"))
        .add_columns(versions.c.created_at, retired.label("retired_at"))
        .add_columns(bots.c.frozen_at, bots.c.paused_at)
        .add_columns(pace, bots.c.pace.label("wished_pace"))
        .add_columns(bots.c.text, bots.c.language, bots.c.link, bots.c.shares_decisions)
        .add_columns(bots.c.shares_notes)
        .add_columns(func.coalesce(version_counts.c.matches, 0).label("matches"))
        .add_columns(func.coalesce(version_counts.c.faults, 0).label("faults"))
        .select_from(versions.join(bots).outerjoin(version_counts))
        .where(bots.c.owner_id == owner_id)
        .order_by(bots.c.folded, versions.c.id.desc())
        .limit(wanted.limit)
    )
    if wanted.bot:
        found = found.where(bots.c.folded == folded(wanted.bot))
    if wanted.prefix:
        found = found.where(begins_with(bots.c.folded, wanted.prefix))
    if wanted.after is None:
        return found
    last = folded_of(wanted.after)
    same_bot = and_(bots.c.folded == last, versions.c.id < wanted.after)
    # The first condition follows from the second, but allows the use of an index.
    return found.where(bots.c.folded >= last, or_(bots.c.folded > last, same_bot))


def set_key(owner_id: int, sha256: bytes) -> Insert:
    """Return a statement that sets the key of an owner, which has only one."""
    return (
        insert(owner_keys)
        .values(owner_id=owner_id, sha256=sha256)
        .on_conflict_do_update(
            index_elements=[owner_keys.c.owner_id],
            set_={"sha256": sha256, "created_at": func.now()},
        )
    )


def key_hashes(most: int) -> Row:
    """Return a statement that selects the hashes of owners' and members' keys, newest owner first.

    Column: sha256.
    """
    own = select(owner_keys.c.sha256, owner_keys.c.owner_id)
    every = own.union_all(select(owner_members.c.sha256, owner_members.c.owner_id)).subquery()
    return select(every.c.sha256).order_by(every.c.owner_id.desc()).limit(most)


def take_member(member_id: int) -> ReturningDelete[Any]:
    """Return a statement that removes a member, whose sign-ins end; it returns the key's hash."""
    return (
        delete(owner_members)
        .where(owner_members.c.id == member_id)
        .returning(owner_members.c.sha256)
    )


def add_member(owner_id: int, name: str, sha256: bytes) -> Insert:
    """Return a statement that adds a member to a team, unless one has that name.

    It returns the member's id.
    """
    values = {"owner_id": owner_id, "name": name, "folded": folded(name), "sha256": sha256}
    return (
        insert(owner_members).values(values).on_conflict_do_nothing().returning(owner_members.c.id)
    )


def members_of(owner_id: int) -> Row:
    """Return a statement that selects the members of a team, oldest first.

    Columns: name, created_at.
    """
    return (
        select(owner_members.c.name, owner_members.c.created_at)
        .where(owner_members.c.owner_id == owner_id)
        .order_by(owner_members.c.id)
    )


def tightest_event(owner_id: int) -> Row:
    """Return a statement that selects the event that allows an owner's team the fewest people.

    Only events count that the owner has entered and that are not yet frozen. The columns are `name`
    and `most_members`; there is no row if none has a limit.
    """
    return (
        select(events.c.name, events.c.most_members)
        .join(event_entries, event_entries.c.event_id == events.c.id)
        .where(event_entries.c.owner_id == owner_id, events.c.most_members.is_not(None))
        .where(events.c.freezes_at > func.clock_timestamp(), events.c.cancelled_at.is_(None))
        .order_by(events.c.most_members)
        .limit(1)
    )


def remove_member(owner_id: int, name: str) -> ReturningDelete[Any]:
    """Return a statement that removes a member, whose sign-ins end; it returns the name."""
    return (
        delete(owner_members)
        .where(owner_members.c.owner_id == owner_id, owner_members.c.folded == folded(name))
        .returning(owner_members.c.name)
    )


def use_invite(sha256: bytes) -> Update:
    """Return a statement that uses an invite once.

    It returns the invite's id; no row if it is unknown, used up or expired. The row's lock makes
    concurrent uses wait for each other.
    """
    valid = and_(
        invites.c.sha256 == sha256,
        invites.c.uses_left > 0,
        or_(invites.c.expires_at.is_(None), invites.c.expires_at > func.now()),
    )
    return (
        update(invites)
        .where(valid)
        .values(uses_left=invites.c.uses_left - 1)
        .returning(invites.c.id)
    )


def invite_list(limit: int | None = None) -> Row:
    """Return a statement that selects the invites that can be used, newest first.

    Columns: those of InviteRow.
    """
    return (
        select(invites.c.id, invites.c.uses_left, invites.c.made_by, invites.c.created_at)
        .add_columns(invites.c.expires_at)
        .where(
            invites.c.uses_left > 0,
            or_(invites.c.expires_at.is_(None), invites.c.expires_at > func.now()),
        )
        .order_by(invites.c.id.desc())
        .limit(limit)
    )
