"""`SignIns`: owners who are signed in on a page, one transaction per method.

Each sign-in has a key of its own, valid for a limited time. The referee issues it for the owner's
key, or for a verified ID token of an identity provider. An ID token signs in only once: its hash is
stored in the same transaction and kept until the token expires.
"""

from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import delete, func
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.errors import CredentialRefusedError, NotAllowedError, UnknownOwnerError
from arena.database.keys import new_key, token_hash
from arena.database.tables.owners import sign_ins, used_id_tokens
from arena.database.transaction import transaction
from arena.records import Identity, Owner, OwnerId
from arena.server.accounts import look_ups, owner_statements, sign_in_statements
from arena.server.accounts.auditing import record
from arena.server.accounts.new_owners import new_owner

SIGNED_IN_FOR: Final = timedelta(hours=12)
"""The time for which the key of a sign-in by an identity provider is valid."""
STAYS_FOR: Final = timedelta(days=14)
"""The time after its last use for which the key of any other sign-in is valid."""
MOST_OF_AN_OWNER: Final = 50
"""The most sign-ins at once of one person (captain or member); a further one ends the oldest."""


class SignIns:
    """The sign-ins of owners.

    Every method raises NotAllowedError, CredentialRefusedError and DatabaseUnreachableError.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def sign_in(self, identity: Identity) -> tuple[Owner, str] | None:
        """Return the owner with this identity, and a new key; None if no owner has it."""
        async with transaction(self._engine) as connection:
            statement = sign_in_statements.owner_with(identity)
            found = (await connection.execute(statement)).one_or_none()
            if found is not None:
                # The identity may have been removed meanwhile: look again under the lock.
                await connection.execute(owner_statements.lock_owner(found.id))
                found = (await connection.execute(statement)).one_or_none()
            if found is None:
                return None
            owner = _owner(found)
            return owner, await _sign_in(connection, owner, identity, banned=found.banned_at)

    async def sign_up(self, identity: Identity, name: str, code: str | None) -> tuple[Owner, str]:
        """Add an owner who has this identity; return it with a key for this sign-in.

        Raises NameRefusedError, CredentialRefusedError and NotAllowedError.
        """
        async with transaction(self._engine) as connection:
            owner = await new_owner(connection, name, code, identity)
            await _bind(connection, owner, identity)
            return owner, await _sign_in(connection, owner, identity)

    async def bind(self, identity: Identity, key: str) -> tuple[Owner, str]:
        """Give this identity to the owner, or to the member of a team, who has this key.

        Returns the owner with a key for this sign-in. Raises UnknownOwnerError and
        NotAllowedError.
        """
        async with transaction(self._engine) as connection:
            statement = owner_statements.owner_by_key(token_hash(key))
            found = (await connection.execute(statement)).one_or_none()
            if found is None:
                raise UnknownOwnerError("No owner has this key.")
            owner = replace(_owner(found), key_sha256=token_hash(key))
            await look_ups.lock_caller(connection, owner)
            await _bind(connection, owner, identity)
            told = {"identity": f"{identity.subject} of {identity.issuer}"}
            await record(connection, owner.actor, "bind identity", owner.name, told)
            return owner, await _sign_in(connection, owner, identity, banned=found.banned_at)

    async def stay(self, owner: Owner) -> str:
        """Return a key for a new sign-in of an owner or a member; using the key prolongs it.

        Raises UnknownOwnerError if the key of the call has been revoked, or the member removed.
        """
        key = new_key()
        add = sign_in_statements.add_sign_in(
            *(owner.id, token_hash(key), STAYS_FOR), prolonged=True, member_id=owner.member_id
        )
        async with transaction(self._engine) as connection:
            await look_ups.lock_caller(connection, owner)
            if owner.member_id is not None:
                # Otherwise a member removed since the call began would sign in as the captain.
                kept = sign_in_statements.keep_member(owner.member_id)
                if (await connection.execute(kept)).first() is None:
                    raise UnknownOwnerError("No owner has this key.")
            await connection.execute(sign_in_statements.forget_expired_sign_ins())
            await connection.execute(add)
            keep = sign_in_statements.keep_newest_sign_ins(
                owner.id, MOST_OF_AN_OWNER, owner.member_id
            )
            await connection.execute(keep)
        return key

    async def end(self, key: str) -> None:
        """End the sign-in that has this key; an owner's own key is not affected."""
        async with transaction(self._engine) as connection:
            await connection.execute(delete(sign_ins).where(sign_ins.c.sha256 == token_hash(key)))


def _owner(found: Any) -> Owner:
    return Owner(OwnerId(found.id), found.name, found.member or "", found.member_id)


async def _bind(connection: AsyncConnection, owner: Owner, identity: Identity) -> None:
    if (
        await connection.scalar(sign_in_statements.bind(owner.id, owner.member_id, identity))
        is None
    ):
        raise NotAllowedError(
            f"Either {owner.actor} already has another identity, or this identity another owner."
        )


async def _sign_in(
    connection: AsyncConnection, owner: Owner, identity: Identity, *, banned: object = None
) -> str:
    """Use up the ID token, and return a new key of the owner."""
    if banned is not None:
        raise NotAllowedError(f"The operator has banned the owner {owner.name}.")
    await connection.execute(delete(used_id_tokens).where(used_id_tokens.c.expires_at < func.now()))
    if await connection.scalar(sign_in_statements.use_token(identity)) is None:
        raise CredentialRefusedError("This ID token was used before: sign in again.")
    await connection.execute(sign_in_statements.forget_expired_sign_ins())
    key = new_key()
    statement = sign_in_statements.add_sign_in(
        owner.id, token_hash(key), SIGNED_IN_FOR, member_id=owner.member_id
    )
    await connection.execute(statement)
    return key
