"""Waits for locks of the database, over a connection that the store does not know."""

import asyncio
from collections.abc import Awaitable

import psycopg

from arena.database.advisory_locks import AdvisoryLock
from tests.bots import PATIENCE

WAITING = """
FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
"""


async def waiting(sql: psycopg.Connection, how_many: int) -> None:
    """Wait until `how_many` connections wait for a lock."""
    async with asyncio.timeout(PATIENCE):
        while sql.execute(f"SELECT {WAITING}".encode()).rowcount < how_many:  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # Postgres sends no notice of a waiting connection


async def waits_for(lock: AdvisoryLock, step: Awaitable[object], sql: psycopg.Connection) -> None:
    """Run a step while another connection has the lock; it must wait, and end once that is free."""
    sql.execute("SELECT pg_advisory_lock(%s)", [lock.value])
    taken = asyncio.ensure_future(step)
    try:
        await waiting(sql, 1)
    finally:
        sql.execute("SELECT pg_advisory_unlock(%s)", [lock.value])
        await taken
