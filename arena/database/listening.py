"""LISTEN/NOTIFY as an async generator."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Final

import psycopg
import structlog
from psycopg import sql

from arena.database.connecting import connect

RECONNECT_SECONDS = 1.0
"""Pause before a lost connection is made again."""

ASK_SECONDS = 2.0
"""A connection on which nothing is told for so long is asked whether it is still there."""

ANYTHING: Final = ""
"""The payload of what names nothing."""

log = structlog.get_logger()


async def notifications(
    url: str, channels: Sequence[str], there: Callable[[bool], None] = lambda _there: None
) -> AsyncGenerator[frozenset[str]]:
    """Yield at once, and whenever something was told on one of the channels.

    What is yielded are the words of the notifications. Never ends.

    Notifications that arrive while the caller is busy are combined into one.

    It yields ANYTHING after every connection: what was told meanwhile is not missed. `there` is
    told when the connection is made, and when it is lost.
    """
    while True:
        try:
            async with await connect(url) as connection:
                for channel in channels:
                    await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
                there(True)
                yield frozenset({ANYTHING})
                while True:
                    yield await _news(connection)
        except psycopg.OperationalError as error:
            there(False)
            log.warning("not listening to the database", why=str(error).strip().split("\n")[0])
        await asyncio.sleep(RECONNECT_SECONDS)


async def _news(connection: psycopg.AsyncConnection) -> frozenset[str]:
    """Wait until something is told, and take in all that waits: it is one piece of news."""
    told: set[str] = set()
    while not told:
        async for one in connection.notifies(timeout=ASK_SECONDS, stop_after=1):
            told.add(one.payload)
        if not told:
            await connection.execute("SELECT")
    async for one in connection.notifies(timeout=0):
        told.add(one.payload)
    return frozenset(told)
