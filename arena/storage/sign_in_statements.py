"""SQL statements about identities and sign-ins, built here, run elsewhere."""

from datetime import timedelta
from typing import Any

from sqlalchemy import Delete, Select, delete, func, select
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.sql.dml import ReturningInsert

from arena.records import Identity
from arena.storage.owner_tables import (
    owner_identities,
    owner_keys,
    owners,
    sign_ins,
    used_id_tokens,
)
from arena.storage.statements import Row


def owner_with(identity: Identity) -> Row:
    """id, name, banned_at, of the owner who has this identity."""
    return (
        select(owners.c.id, owners.c.name, owners.c.banned_at)
        .join(owner_identities)
        .where(
            owner_identities.c.issuer == identity.issuer,
            owner_identities.c.subject == identity.subject,
        )
    )


def owners_by_key(sha256: bytes) -> Select[tuple[int]]:
    """owner_id, of who has this key: the owner's own, or one of a sign-in."""
    of_sign_in = select(sign_ins.c.owner_id).where(
        sign_ins.c.sha256 == sha256, sign_ins.c.expires_at > func.now()
    )
    own = select(owner_keys.c.owner_id).where(owner_keys.c.sha256 == sha256)
    return select(own.union_all(of_sign_in).subquery().c.owner_id)


def bind(owner_id: int, identity: Identity) -> ReturningInsert[Any]:
    """Gives an owner an identity and returns the owner's id; no row if one of them has another."""
    return (
        insert(owner_identities)
        .values(owner_id=owner_id, issuer=identity.issuer, subject=identity.subject)
        .on_conflict_do_nothing()
        .returning(owner_identities.c.owner_id)
    )


def use_token(identity: Identity) -> ReturningInsert[Any]:
    """Marks the ID token of an identity as used; no row if it was used before."""
    return (
        insert(used_id_tokens)
        .values(sha256=identity.token_sha256, expires_at=identity.expires_at)
        .on_conflict_do_nothing()
        .returning(used_id_tokens.c.sha256)
    )


def forget_expired_tokens() -> Delete:
    """Forgets the ID tokens that are refused for their age by now."""
    return delete(used_id_tokens).where(used_id_tokens.c.expires_at < func.now())


def add_sign_in(owner_id: int, sha256: bytes, valid: timedelta) -> Insert:
    """Adds a key that is valid for a time."""
    return insert(sign_ins).values(sha256=sha256, owner_id=owner_id, expires_at=func.now() + valid)


def forget_expired_sign_ins() -> Delete:
    """Forgets the keys of sign-ins that are no longer valid."""
    return delete(sign_ins).where(sign_ins.c.expires_at < func.now())


def end_sign_ins(owner_id: int) -> Delete:
    """Ends all sign-ins of an owner."""
    return delete(sign_ins).where(sign_ins.c.owner_id == owner_id)
