"""`Messages`: what organisers and the operator write to owners, with one transaction per method.

A message is for everybody who acts for the owner. The newest MOST_KEPT of an owner are kept.
"""

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import Row as SqlRow
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.errors import RequestRefusedError
from arena.database.transaction import fetched, transaction
from arena.records import Owner, OwnerId
from arena.server.accounts import look_ups
from arena.server.accounts import message_statements as statements
from arena.server.accounts.auditing import record

LONGEST_TEXT: Final = 2_000
"""The greatest length of a message, in characters."""
MOST_KEPT: Final = 100
OPERATOR: Final = "the operator"
"""The sender of the operator's messages."""


class Messages:
    """The messages in the database. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def send(
        self, owner_ids: Collection[OwnerId], text: str, *, sender: str, about: str, actor: str
    ) -> None:
        """Send a message to each of these owners.

        `sender` is what they read of whom it is from; the audit has `actor`, the subject `about`
        and to how many, not the text. Raises RequestRefusedError.
        """
        text = checked(text)
        async with transaction(self._engine) as connection:
            if owner_ids:
                await connection.execute(statements.add(owner_ids, sender, text))
                await connection.execute(statements.keep_newest(owner_ids, MOST_KEPT))
                await record(connection, actor, "message", about, {"owners": len(owner_ids)})

    async def send_as_operator(self, name: str, text: str, actor: str) -> None:
        """Send an owner a message of the operator's.

        Raises UnknownOwnerError and RequestRefusedError.
        """
        async with transaction(self._engine) as connection:
            found = await look_ups.owner_named(connection, name)
        await self.send([OwnerId(found.id)], text, sender=OPERATOR, about=found.name, actor=actor)

    async def to(self, owner: Owner) -> list[SqlRow[Any]]:
        """Return an owner's messages, newest first: rows of `message_statements.messages_to`."""
        return list(await fetched(self._engine, statements.messages_to(owner.id)))

    async def mark_read(self, owner: Owner, up_to: int) -> None:
        """Mark an owner's messages as read, up to the one with this id."""
        async with transaction(self._engine) as connection:
            await connection.execute(statements.mark_read(owner.id, up_to))


def checked(text: str) -> str:
    """Return the text of a message as it is stored. Raises RequestRefusedError."""
    text = text.replace("\r\n", "\n").strip()
    if not 1 <= len(text) <= LONGEST_TEXT:
        raise RequestRefusedError(
            f"A message has 1 to {LONGEST_TEXT:,} characters; this one has {len(text):,}."
        )
    if not all(one.isprintable() or one in "\n\t" for one in text):
        raise RequestRefusedError("The message holds characters that cannot be shown.")
    return text
