"""Notifications of the database (LISTEN and NOTIFY) as an async generator."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing
from typing import Final

import psycopg
import structlog
from psycopg import sql

from arena.database.connecting import connect

RECONNECT_SECONDS = 1.0
"""Seconds before a lost connection is made again."""

ASK_SECONDS = 2.0
"""Seconds without a notification after which a connection is checked."""

ANYTHING: Final = ""
"""The payload of a notification that names nothing; it may be about anything."""

log = structlog.get_logger()


async def notifications(
    url: str, channels: Sequence[str], there: Callable[[bool], None] = lambda _there: None
) -> AsyncGenerator[frozenset[str]]:
    """Yield the payloads of new notifications on the channels, for ever.

    Notifications that arrive while the caller is busy are combined into one set.

    It yields ANYTHING at once after every connection, because notifications before it were missed.
    It calls `there` with True when the connection is made, and with False when it is lost.
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
    """Wait for a notification, and return the payloads of all that have arrived by then."""
    told: set[str] = set()
    while not told:
        async for one in connection.notifies(timeout=ASK_SECONDS, stop_after=1):
            told.add(one.payload)
        if not told:
            await connection.execute("SELECT")
    async for one in connection.notifies(timeout=0):
        told.add(one.payload)
    return frozenset(told)


async def set_on(changes: AsyncGenerator[Collection[str]], event: asyncio.Event) -> None:
    """Set the event at every item of `changes`, until cancelled."""
    async with aclosing(changes):
        async for _ in changes:
            event.set()
