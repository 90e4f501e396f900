"""SQL statements about the messages to owners; callers execute them."""

from collections.abc import Collection

from sqlalchemy import Insert, Update, delete, func, insert, select, update
from sqlalchemy.sql.dml import Delete

from arena.database.statement import Row
from arena.database.tables.owners import owner_messages


def add(owner_ids: Collection[int], sender: str, text: str) -> Insert:
    """Insert a message to each of these owners."""
    rows = [{"owner_id": one, "sender": sender, "text": text} for one in owner_ids]
    return insert(owner_messages).values(rows)


def keep_newest(owner_ids: Collection[int], most: int) -> Delete:
    """Delete the messages of these owners but the `most` newest of each."""
    age = func.row_number().over(
        partition_by=owner_messages.c.owner_id, order_by=owner_messages.c.id.desc()
    )
    ranked = (
        select(owner_messages.c.id, age.label("age"))
        .where(owner_messages.c.owner_id.in_(owner_ids))
        .subquery()
    )
    return delete(owner_messages).where(
        owner_messages.c.id.in_(select(ranked.c.id).where(ranked.c.age > most))
    )


def messages_to(owner_id: int) -> Row:
    """Select `id`, `sender`, `text`, `sent_at`, `read_at` of an owner's messages, newest first."""
    return (
        select(owner_messages.c.id, owner_messages.c.sender, owner_messages.c.text)
        .add_columns(owner_messages.c.sent_at, owner_messages.c.read_at)
        .where(owner_messages.c.owner_id == owner_id)
        .order_by(owner_messages.c.id.desc())
    )


def mark_read(owner_id: int, up_to: int) -> Update:
    """Mark an owner's messages as read, up to the one with this id."""
    return (
        update(owner_messages)
        .where(owner_messages.c.owner_id == owner_id, owner_messages.c.id <= up_to)
        .where(owner_messages.c.read_at.is_(None))
        .values(read_at=func.now())
    )
