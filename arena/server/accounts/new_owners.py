"""Steps of signing up, inside the caller's transaction."""

from sqlalchemy.ext.asyncio import AsyncConnection

from arena.database.errors import CredentialRefusedError, NameTakenError
from arena.database.keys import code_hash
from arena.database.names import check_not_reserved, normal_name
from arena.records import Identity, Owner, OwnerId
from arena.server.accounts import owner_statements, registering
from arena.server.accounts.auditing import record


async def new_owner(
    connection: AsyncConnection, name: str, code: str | None, identity: Identity | None = None
) -> Owner:
    """Add an owner, using the invite of `code` if one is given; `identity` is for the audit.

    Raises NameRefusedError and CredentialRefusedError.
    """
    name = normal_name("owner", name)
    check_not_reserved(name)
    invite = None
    if code is not None:
        invite = await connection.scalar(owner_statements.use_invite(code_hash(code)))
        if invite is None:
            raise CredentialRefusedError(
                "This invite is not known here, or used up, or expired: ask the operator "
                "for another one."
            )
    owner_id = await connection.scalar(owner_statements.add_owner(name))
    if owner_id is None:
        raise await _taken(connection, name)
    told = None if identity is None else f"{identity.subject} of {identity.issuer}"
    await record(connection, name, "sign up", name, {"invite": invite, "identity": told})
    return Owner(OwnerId(owner_id), name)


async def _taken(connection: AsyncConnection, name: str) -> NameTakenError:
    statement = owner_statements.owner_named(name)
    found = (await connection.execute(statement)).one_or_none()
    if found is None:
        return await registering.alike(connection, name)
    return NameTakenError(
        f"There is an owner {found.name} already: choose another name. If that is you, sign in "
        "with your key, or ask the operator for a new one."
    )
