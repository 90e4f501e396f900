"""The arena's key for signing transcripts: one for all referees of a database."""

from sqlalchemy import insert, select
from sqlalchemy.dialects.postgresql import insert as insert_if_new
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.errors import StorageError
from arena.database.tables.signing import signing_key, signing_secret
from arena.database.transaction import transaction
from arena.signatures import Signer, new_private_key


async def signer(engine: AsyncEngine) -> Signer:
    """Return the arena's signer; its key is created at the first call.

    Raises DatabaseUnreachableError, and StorageError if the private key is gone.
    """
    private_key = new_private_key()
    fresh = Signer(private_key).public_key
    async with transaction(engine) as connection:
        # A concurrent process waits here until the first commits, and then uses its key.
        made = await connection.scalar(
            insert_if_new(signing_key)
            .values(public_key=fresh)
            .on_conflict_do_nothing(index_elements=[signing_key.c.one])
            .returning(signing_key.c.public_key)
        )
        if made is not None:
            secret = {"public_key": fresh, "private_key": private_key}
            await connection.execute(insert(signing_secret).values(**secret))
        kept = await connection.execute(select(signing_secret.c.private_key))
        found = kept.scalar_one_or_none()
    if found is None:
        raise StorageError(
            "The database has the arena's public key (table signing_key) without its private key: "
            "restore the row of the table signing_secret from a backup, or delete the row of "
            "signing_key for a new key."
        )
    return Signer(found)
