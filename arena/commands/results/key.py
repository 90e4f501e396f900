"""`arena key`: the public key by which this arena signs transcripts."""

import typer

from arena.commands.database import with_store
from arena.storage.store import Store


def key() -> None:
    """Print the public key by which this arena signs transcripts, for `arena verify --key`.

    The private key lies in the database; nothing prints it. Both are made with the first start, or
    now.
    """

    async def public(store: Store) -> str:
        return (await store.signer()).public_key.hex()

    typer.echo(with_store(public))
