"""`tell`: adds a notice to the outbox, in the transaction of what has happened."""

from sqlalchemy.ext.asyncio import AsyncConnection

from arena.server.notices import notice_statements as statements
from arena.server.notices.notice import Notice


async def tell(connection: AsyncConnection, notice: Notice) -> None:
    """Add a notice with its deliveries, and wake the referees that deliver them.

    A notice of this kind that is about the same is left as it is, and not delivered again.
    """
    made = await connection.scalar(statements.add_notice(notice))
    if made is not None:
        await connection.execute(statements.add_deliveries(made))
        await connection.execute(statements.wake())
