"""Look-ups of owners and of their bots by name, with the errors for what is not there."""

from typing import Any

from sqlalchemy import Row as SqlRow
from sqlalchemy.ext.asyncio import AsyncConnection

from arena.database.errors import NotAllowedError, NotFoundError, UnknownOwnerError
from arena.database.rows import OwnerRow
from arena.records import Owner
from arena.server.accounts import bot_statements, owner_statements, sign_in_statements


async def owner_named(connection: AsyncConnection, name: str) -> OwnerRow:
    """Return the owner of that name, in any case. Raises UnknownOwnerError."""
    found = (await connection.execute(owner_statements.owner_named(name))).mappings().one_or_none()
    if found is None:
        raise UnknownOwnerError(f"There is no owner {name}: see `arena owner list`.")
    return OwnerRow(**found)


async def own_bot(connection: AsyncConnection, owner: Owner, bot: str) -> SqlRow[Any]:
    """Return an owner's bot: a row of `bot_named`.

    Raises NotFoundError, the same for another owner's bot as for a missing one.
    """
    found = (await connection.execute(bot_statements.bot_named(bot))).one_or_none()
    if found is None or found.owner_id != owner.id:
        raise not_yours(bot)
    return found


async def lock_caller(connection: AsyncConnection, owner: Owner) -> None:
    """Lock an owner until the end of the transaction.

    Call it before creating anything that outlives the key of the call, such as another key. Raises
    NotAllowedError, and UnknownOwnerError if that key has been revoked since the call was admitted.
    """
    locked = (await connection.execute(owner_statements.lock_owner(owner.id))).one()
    if locked.banned_at is not None:
        raise NotAllowedError(f"The operator has banned the owner {owner.name}.")
    if owner.key_sha256 is None:
        return
    statement = sign_in_statements.owners_by_key(owner.key_sha256)
    found = (await connection.execute(statement)).one_or_none()
    if found is None or (found.owner_id, found.member_id) != (owner.id, owner.member_id):
        raise UnknownOwnerError("No owner has this key.")


def not_yours(bot: str) -> NotFoundError:
    """Return the error for a bot that the owner does not have."""
    return NotFoundError(f"You have no bot {bot}: `arena bot list` shows yours.")
