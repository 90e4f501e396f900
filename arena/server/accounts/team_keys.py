"""Changes of a team's keys from outside the team, inside the caller's transaction.

The captain has the owner's own key and is no member; the others are members.
"""

from collections.abc import Collection

from sqlalchemy import delete, select, union_all, update
from sqlalchemy.ext.asyncio import AsyncConnection

from arena.database.errors import RequestRefusedError
from arena.database.names import LONGEST, fitted
from arena.database.tables.owners import owner_identities, owner_keys, owner_members, sign_ins
from arena.records import Owner, OwnerId
from arena.server.accounts import owner_statements
from arena.server.accounts.owners import MOST_MEMBERS


async def require_new(connection: AsyncConnection, hashes: Collection[bytes]) -> None:
    """Raise RequestRefusedError unless these can be the hashes of new keys, not yet in use."""
    if any(len(one) != 32 for one in hashes):
        raise RequestRefusedError("The SHA-256 of a key has 32 bytes.")
    if len(set(hashes)) < len(hashes):
        raise RequestRefusedError("Each person needs a key of their own.")
    keys = (select(one.c.sha256) for one in (owner_keys, owner_members, sign_ins))
    every = union_all(*keys).subquery()
    known = select(every.c.sha256).where(every.c.sha256.in_(hashes))
    if (await connection.execute(known)).first() is not None:
        raise RequestRefusedError("One of these keys is somebody's already: make new ones.")


async def add_member(
    connection: AsyncConnection, owner: Owner, name: str, sha256: bytes, most: int | None
) -> int:
    """Add a member named after a person, with a valid name unique in the team; return its id.

    Raises RequestRefusedError if the team already has `most` people, or the most of any team.
    """
    await connection.execute(owner_statements.lock_owner(owner.id))
    members = (await connection.execute(owner_statements.members_of(owner.id))).all()
    most = min(most or MOST_MEMBERS + 1, MOST_MEMBERS + 1)
    if len(members) + 1 >= most:
        raise RequestRefusedError(f"The team {owner.name} would have more than {most} people.")
    number = 1
    while True:
        end = "" if number == 1 else f" {number}"
        member = fitted("member", name, "member", LONGEST - len(end)) + end
        statement = owner_statements.add_member(owner.id, member, sha256)
        added: int | None = await connection.scalar(statement)
        if added is not None:
            return added
        number += 1


async def take_member(connection: AsyncConnection, member_id: int) -> bytes:
    """Remove a member with its sign-ins and identity; return the hash of its key."""
    found = await connection.scalar(owner_statements.take_member(member_id))
    assert found is not None
    return bytes(found)


async def take_captain(
    connection: AsyncConnection, owner_id: OwnerId, heir: int | None
) -> bytes | None:
    """Take the key of a team from its captain, whose sign-ins and identity end; return its hash.

    The member `heir` becomes the captain and keeps its own key and identity. Without an heir,
    nobody acts for the owner any more. Returns None if the owner had no key. Raises
    RequestRefusedError for an operator, whose role must not pass to the heir.
    """
    owner = (await connection.execute(owner_statements.lock_owner(owner_id))).one()
    if owner.operator_since is not None:
        raise RequestRefusedError(f"{owner.name} is an operator, who stays the captain.")
    for table in (sign_ins, owner_identities):
        own = table.c.owner_id == owner_id, table.c.member_id.is_(None)
        await connection.execute(delete(table).where(*own))
    key = delete(owner_keys).where(owner_keys.c.owner_id == owner_id)
    taken = await connection.scalar(key.returning(owner_keys.c.sha256))
    if heir is not None:
        inherited = update(owner_identities).where(owner_identities.c.member_id == heir)
        await connection.execute(inherited.values(member_id=None))
        sha256 = await take_member(connection, heir)
        await connection.execute(owner_statements.set_key(owner_id, sha256))
    return None if taken is None else bytes(taken)
