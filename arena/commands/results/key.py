"""`arena key`: prints the public key of this arena's signatures."""

import typer

from arena.commands.database import with_store
from arena.server.app.store import Store


def key() -> None:
    """Print the public key of this arena's signatures of transcripts, for `arena verify --key`.

    The private key is in the database and is never printed.
    """

    async def public(store: Store) -> str:
        return (await store.signer()).public_key.hex()

    typer.echo(with_store(public))
