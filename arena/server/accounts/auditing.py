"""`record`, which adds a line to the audit in the transaction of the change that it describes."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from arena.database.tables.owners import audit


async def record(
    connection: AsyncConnection,
    actor: str,
    action: str,
    subject: str,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Record a change by `actor`; details that are None are left out."""
    given = {key: value for key, value in (details or {}).items() if value is not None}
    line = {"actor": actor, "action": action, "subject": subject, "details": given}
    await connection.execute(insert(audit).values(line))
