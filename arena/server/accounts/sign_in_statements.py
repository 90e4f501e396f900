"""SQL statements about identities and sign-ins; this module builds them, callers run them."""

from datetime import timedelta
from typing import Any, Final

from sqlalchemy import Delete, Integer, Update, cast, delete, func, null, select, update
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.sql.dml import ReturningInsert

from arena.database.statement import Row
from arena.database.tables.owners import (
    owner_identities,
    owner_keys,
    owner_members,
    owners,
    sign_ins,
    used_id_tokens,
)
from arena.records import Identity

PROLONGED_EVERY: Final = timedelta(hours=1)
"""The least time between two recorded uses of a key: most calls write nothing."""


def owner_with(identity: Identity) -> Row:
    """Return a statement that selects the owner who has this identity, or whose member has it.

    Columns: id, name, banned_at, member_id and member; the last two are NULL for the owner's own
    identity.
    """
    return (
        select(owners.c.id, owners.c.name, owners.c.banned_at)
        .add_columns(owner_members.c.id.label("member_id"), owner_members.c.name.label("member"))
        .select_from(
            owners.join(owner_identities, owner_identities.c.owner_id == owners.c.id).outerjoin(
                owner_members, owner_members.c.id == owner_identities.c.member_id
            )
        )
        .where(
            owner_identities.c.issuer == identity.issuer,
            owner_identities.c.subject == identity.subject,
        )
    )


def owners_by_key(sha256: bytes) -> Row:
    """Return a statement that selects the owner, and the team's member, to whom this key belongs.

    The key is the owner's own, a member's, or a sign-in's. Columns: owner_id, member_id and member;
    the last two are NULL if it is not a member's.
    """
    nobody = cast(null(), Integer)
    own = select(owner_keys.c.owner_id, nobody.label("member_id")).where(
        owner_keys.c.sha256 == sha256
    )
    of_member = select(owner_members.c.owner_id, owner_members.c.id).where(
        owner_members.c.sha256 == sha256
    )
    of_sign_in = select(sign_ins.c.owner_id, sign_ins.c.member_id).where(
        sign_ins.c.sha256 == sha256, sign_ins.c.expires_at > func.now()
    )
    found = own.union_all(of_member, of_sign_in).subquery()
    named = found.outerjoin(owner_members, owner_members.c.id == found.c.member_id)
    return (
        select(found.c.owner_id, found.c.member_id)
        .add_columns(owner_members.c.name.label("member"))
        .select_from(named)
    )


def keep_member(member_id: int) -> Row:
    """Return a statement that selects a member's id and locks the member against removal.

    The lock holds until the transaction's end. It returns no row if the member has been removed.
    """
    return (
        select(owner_members.c.id)
        .where(owner_members.c.id == member_id)
        .with_for_update(read=True, key_share=True)
    )


def bind(owner_id: int, member_id: int | None, identity: Identity) -> ReturningInsert[Any]:
    """Return a statement that gives an owner, or a member of its team, an identity.

    It returns the owner's id; no row if either the person or the identity is bound already.
    """
    return (
        insert(owner_identities)
        .values(
            owner_id=owner_id,
            member_id=member_id,
            issuer=identity.issuer,
            subject=identity.subject,
        )
        .on_conflict_do_nothing()
        .returning(owner_identities.c.owner_id)
    )


def use_token(identity: Identity) -> ReturningInsert[Any]:
    """Return a statement that marks the ID token of an identity as used.

    It returns no row if the token was used before.
    """
    return (
        insert(used_id_tokens)
        .values(sha256=identity.token_sha256, expires_at=identity.expires_at)
        .on_conflict_do_nothing()
        .returning(used_id_tokens.c.sha256)
    )


def add_sign_in(
    owner_id: int,
    sha256: bytes,
    valid: timedelta,
    *,
    prolonged: bool = False,
    member_id: int | None = None,
) -> Insert:
    """Return a statement that adds a key of the owner or of a member, valid for a time.

    If it is `prolonged`, the time begins anew at each use.
    """
    return insert(sign_ins).values(
        sha256=sha256,
        owner_id=owner_id,
        expires_at=func.now() + valid,
        idle_for=valid if prolonged else None,
        member_id=member_id,
    )


def use_sign_in(sha256: bytes) -> Update:
    """Return a statement that prolongs the key of a sign-in, if it was added as `prolonged`.

    It does so at most once every PROLONGED_EVERY.
    """
    until = func.now() + sign_ins.c.idle_for
    return (
        update(sign_ins)
        .where(
            sign_ins.c.sha256 == sha256,
            sign_ins.c.expires_at > func.now(),
            sign_ins.c.expires_at < until - PROLONGED_EVERY,
        )
        .values(expires_at=until)
    )


def keep_newest_sign_ins(owner_id: int, most: int, member_id: int | None = None) -> Delete:
    """Return a statement that ends the sign-ins of an owner except for the `most` newest.

    Only sign-ins of the member count; without `member_id`, only those of the owner itself.
    """
    own = sign_ins.c.owner_id == owner_id, sign_ins.c.member_id.is_not_distinct_from(member_id)
    kept = select(sign_ins.c.sha256).where(*own).order_by(sign_ins.c.created_at.desc()).limit(most)
    return delete(sign_ins).where(*own, sign_ins.c.sha256.not_in(kept))


def forget_expired_sign_ins() -> Delete:
    """Return a statement that deletes the keys of sign-ins that are no longer valid."""
    return delete(sign_ins).where(sign_ins.c.expires_at < func.now())
