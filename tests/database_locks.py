"""Waits for locks of the database, behind the store's back."""

import asyncio
from collections.abc import Awaitable

import psycopg

from arena.database.advisory_locks import AdvisoryLock
from tests.bots import PATIENCE

WAITING = """
FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
"""


async def waiting(sql: psycopg.Connection, how_many: int) -> None:
    """Wait until so many connections wait for a lock."""
    async with asyncio.timeout(PATIENCE):
        while sql.execute(f"SELECT {WAITING}".encode()).rowcount < how_many:  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # what waits is in Postgres and tells nobody


async def waits_for(lock: AdvisoryLock, step: Awaitable[object], sql: psycopg.Connection) -> None:
    """Take a step while somebody else has the lock; it ends once the lock is free."""
    sql.execute("SELECT pg_advisory_lock(%s)", [lock.value])
    taken = asyncio.ensure_future(step)
    try:
        await waiting(sql, 1)
    finally:
        sql.execute("SELECT pg_advisory_unlock(%s)", [lock.value])
        await taken
