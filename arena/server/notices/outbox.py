"""`tell`: adds a notice to the outbox, in the same transaction as the change that it reports."""

from dataclasses import asdict
from typing import Final

from sqlalchemy import text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from arena.database.tables.notices import notices
from arena.server.notices import notice_statements as statements
from arena.server.notices.notice import Notice

_DELIVER: Final = text(
    """
    INSERT INTO deliveries (notice_id, webhook_id)
    SELECT notices.id, webhooks.id
    FROM notices LEFT JOIN bots ON bots.id = notices.bot_id
        JOIN webhooks ON webhooks.event_id = notices.event_id
            OR webhooks.owner_id = bots.owner_id AND coalesce(webhooks.bot_id, bots.id) = bots.id
    WHERE notices.id = :id
    """
)
"""Adds the deliveries of a new notice to the webhooks of its event, or of its bot's owner."""


async def tell(connection: AsyncConnection, notice: Notice) -> None:
    """Add a notice with its deliveries, and wake the referees that deliver them.

    A notice that exists already (same kind and `about`) is left as it is and not delivered again.
    """
    values = asdict(notice) | {"kind": notice.kind.value, "data": dict(notice.data)}
    put = insert(notices).values(values).on_conflict_do_nothing()
    made = await connection.scalar(put.returning(notices.c.id))
    if made is not None:
        await connection.execute(_DELIVER.bindparams(id=made))
        await connection.execute(statements.wake())
