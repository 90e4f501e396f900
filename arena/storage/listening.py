"""LISTEN/NOTIFY as an async generator."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

import psycopg
import structlog
from psycopg import sql

from arena.storage.connecting import connect

RECONNECT_SECONDS = 1.0
"""Pause before a lost connection is made again."""

ASK_SECONDS = 2.0
"""A connection on which nothing is told for so long is asked whether it is still there."""

log = structlog.get_logger()


async def notifications(
    url: str, channels: Sequence[str], there: Callable[[bool], None] = lambda _there: None
) -> AsyncGenerator[None]:
    """Yields at once, and whenever something was told on one of the channels, for ever.

    Notifications that arrive while the caller is busy are combined into one.

    It yields after every reconnection too: what was told meanwhile is not missed. `there` is told
    when the connection is made, and when it is lost.
    """
    while True:
        try:
            async with await connect(url) as connection:
                for channel in channels:
                    await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
                there(True)
                yield
                while True:
                    await _news(connection)
                    yield
        except psycopg.OperationalError as error:
            there(False)
            log.warning("not listening to the database", why=str(error).strip().split("\n")[0])
        await asyncio.sleep(RECONNECT_SECONDS)


async def _news(connection: psycopg.AsyncConnection) -> None:
    """Wait until something is told, and take in all that waits: it is one piece of news."""
    told = False
    while not told:
        async for _ in connection.notifies(timeout=ASK_SECONDS, stop_after=1):
            told = True
        if not told:
            await connection.execute("SELECT")
    async for _ in connection.notifies(timeout=0):
        pass
