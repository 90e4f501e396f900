"""`Messages`: what organisers and the operator write to owners, with one transaction per method.

Everybody who acts for an owner can read its messages. The newest MOST_KEPT per owner are kept.
"""

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import Delete, delete, func, insert, select, update
from sqlalchemy import Row as SqlRow
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.errors import RequestRefusedError
from arena.database.tables.owners import owner_messages
from arena.database.transaction import fetched, transaction
from arena.records import Owner, OwnerId
from arena.server.accounts import look_ups
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

        `sender` is the sender's name as the owners see it. The audit records `actor`, the subject
        `about` and the number of owners, but not the text. Raises RequestRefusedError.
        """
        text = checked(text)
        async with transaction(self._engine) as connection:
            if owner_ids:
                rows = [{"owner_id": one, "sender": sender, "text": text} for one in owner_ids]
                await connection.execute(insert(owner_messages).values(rows))
                await connection.execute(_drop_old(owner_ids))
                await record(connection, actor, "message", about, {"owners": len(owner_ids)})

    async def send_as_operator(self, name: str, text: str, actor: str) -> None:
        """Send an owner a message from the operator.

        Raises UnknownOwnerError and RequestRefusedError.
        """
        async with transaction(self._engine) as connection:
            found = await look_ups.owner_named(connection, name)
        await self.send([OwnerId(found.id)], text, sender=OPERATOR, about=found.name, actor=actor)

    async def to(self, owner: Owner) -> list[SqlRow[Any]]:
        """Return an owner's messages, newest first: rows of `owner_messages`."""
        own = select(owner_messages).where(owner_messages.c.owner_id == owner.id)
        return list(await fetched(self._engine, own.order_by(owner_messages.c.id.desc())))

    async def mark_read(self, owner: Owner, up_to: int) -> None:
        """Mark an owner's messages as read, up to the one with this id."""
        unread = (
            update(owner_messages)
            .where(owner_messages.c.owner_id == owner.id, owner_messages.c.id <= up_to)
            .where(owner_messages.c.read_at.is_(None))
        )
        async with transaction(self._engine) as connection:
            await connection.execute(unread.values(read_at=func.now()))


def _drop_old(owner_ids: Collection[OwnerId]) -> Delete:
    """Delete the messages of these owners but the newest MOST_KEPT of each."""
    age = func.row_number().over(
        partition_by=owner_messages.c.owner_id, order_by=owner_messages.c.id.desc()
    )
    ranked = (
        select(owner_messages.c.id, age.label("age"))
        .where(owner_messages.c.owner_id.in_(owner_ids))
        .subquery()
    )
    return delete(owner_messages).where(
        owner_messages.c.id.in_(select(ranked.c.id).where(ranked.c.age > MOST_KEPT))
    )


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
