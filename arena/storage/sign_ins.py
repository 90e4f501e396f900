"""`SignIns`: owners who prove who they are by an identity provider, one transaction per method.

The referee has verified the ID token by which an identity is known. A token signs in once: its hash
is kept until it has expired, in the same transaction.
"""

from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.records import Identity, Owner, OwnerId
from arena.storage import owner_statements, sign_in_statements
from arena.storage.auditing import record
from arena.storage.errors import (
    BannedError,
    IdentityRefusedError,
    TokenUsedError,
    UnknownOwnerError,
)
from arena.storage.names import new_key, token_hash
from arena.storage.new_owners import new_owner
from arena.storage.transaction import transaction

SIGNED_IN_FOR: Final = timedelta(hours=12)
"""How long the key of a sign-in is valid."""


class SignIns:
    """Every method raises BannedError, TokenUsedError and DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def sign_in(self, identity: Identity) -> tuple[Owner, str] | None:
        """The owner who has this identity, with a key for this sign-in; None if nobody has it."""
        async with self._transaction() as connection:
            statement = sign_in_statements.owner_with(identity)
            found = (await connection.execute(statement)).one_or_none()
            if found is None:
                return None
            owner = Owner(OwnerId(found.id), found.name)
            return owner, await _sign_in(connection, owner, identity, banned=found.banned_at)

    async def sign_up(self, identity: Identity, name: str, code: str | None) -> tuple[Owner, str]:
        """A new owner who has this identity, with a key for this sign-in.

        Raises NameRefusedError, InviteRefusedError and IdentityRefusedError.
        """
        async with self._transaction() as connection:
            owner = await new_owner(connection, name, code, identity)
            await _bind(connection, owner, identity)
            return owner, await _sign_in(connection, owner, identity)

    async def bind(self, identity: Identity, key: str) -> tuple[Owner, str]:
        """The owner who has this key, and from now on this identity, with a key for this sign-in.

        Raises UnknownOwnerError and IdentityRefusedError.
        """
        async with self._transaction() as connection:
            statement = owner_statements.owner_by_key(token_hash(key))
            found = (await connection.execute(statement)).one_or_none()
            if found is None:
                raise UnknownOwnerError("No owner has this key.")
            owner = Owner(OwnerId(found.id), found.name)
            await _bind(connection, owner, identity)
            told = {"identity": f"{identity.subject} of {identity.issuer}"}
            await record(connection, owner.name, "bind identity", owner.name, told)
            return owner, await _sign_in(connection, owner, identity, banned=found.banned_at)

    def _transaction(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return transaction(self._engine)


async def _bind(connection: AsyncConnection, owner: Owner, identity: Identity) -> None:
    if await connection.scalar(sign_in_statements.bind(owner.id, identity)) is None:
        raise IdentityRefusedError(
            f"Either {owner.name} has another identity already, or this identity another owner."
        )


async def _sign_in(
    connection: AsyncConnection, owner: Owner, identity: Identity, *, banned: object = None
) -> str:
    """Use up the ID token, and return a new key of the owner."""
    if banned is not None:
        raise BannedError(f"The operator has banned the owner {owner.name}.")
    await connection.execute(sign_in_statements.forget_expired_tokens())
    if await connection.scalar(sign_in_statements.use_token(identity)) is None:
        raise TokenUsedError("This ID token was used before: sign in again.")
    await connection.execute(sign_in_statements.forget_expired_sign_ins())
    key = new_key()
    statement = sign_in_statements.add_sign_in(owner.id, token_hash(key), SIGNED_IN_FOR)
    await connection.execute(statement)
    return key
