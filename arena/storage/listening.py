"""LISTEN/NOTIFY as an async generator."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import psycopg
import structlog
from psycopg import sql

RECONNECT_SECONDS = 1.0
"""Pause before a lost connection is made again."""

log = structlog.get_logger()


async def notifications(url: str, channels: Sequence[str]) -> AsyncGenerator[None]:
    """Yields at once, and then after every notification on one of the channels, without end.

    Notifications that arrive while the caller is busy are combined into one.

    It also yields after every reconnection, so that no notification is missed.
    """
    while True:
        try:
            async with await psycopg.AsyncConnection.connect(
                url.replace("+psycopg", "", 1), autocommit=True
            ) as connection:
                for channel in channels:
                    await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
                yield
                while True:
                    await _news(connection)
                    yield
        except psycopg.OperationalError as error:
            log.warning("not listening to the database", why=str(error).strip().split("\n")[0])
        await asyncio.sleep(RECONNECT_SECONDS)


async def _news(connection: psycopg.AsyncConnection) -> None:
    """Wait for a notification, and consume all that are pending."""
    async for _ in connection.notifies(stop_after=1):
        pass
    async for _ in connection.notifies(timeout=0):
        pass
