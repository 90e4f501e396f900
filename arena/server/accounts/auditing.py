"""`record`, which adds a line to the audit in the transaction of the change that it describes."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from arena.server.accounts import owner_statements


async def record(
    connection: AsyncConnection,
    actor: str,
    action: str,
    subject: str,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Record a change by `actor`; details that are None are left out."""
    given = {key: value for key, value in (details or {}).items() if value is not None}
    await connection.execute(owner_statements.add_audit(actor, action, subject, given))
