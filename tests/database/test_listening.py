"""Who listens is woken by what is told on its channels, and by nothing else."""

import asyncio
from contextlib import aclosing

import psycopg
import pytest

from arena.database import listening
from arena.database.listening import notifications


async def test_who_listens_is_woken_by_what_is_told_on_its_channels_alone(
    database: str, sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "ASK_SECONDS", 60.0)  # nothing is heard by asking
    seen: list[bool] = []
    async with (
        asyncio.timeout(20),
        aclosing(notifications(database, ["news", "other"], seen.append)) as told,
    ):
        await anext(told)
        assert seen == [True]
        for channel in ("news", "other"):
            sql.execute(f"NOTIFY {channel}".encode())
            await anext(told)
        waiting = asyncio.ensure_future(anext(told))
        sql.execute("NOTIFY nobody_listens")
        done, _ = await asyncio.wait([waiting], timeout=0.05)
        assert not done
        sql.execute("NOTIFY news")
        await waiting
    assert seen == [True]


@pytest.mark.slow
async def test_a_connection_that_is_lost_is_said_and_made_again(
    database: str, sql: psycopg.Connection
) -> None:
    seen: list[bool] = []
    async with (
        asyncio.timeout(20),
        aclosing(notifications(database, ["news"], seen.append)) as told,
    ):
        await anext(told)
        sql.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE query LIKE 'LISTEN%' AND datname = current_database()"
        )
        await anext(told)
    assert seen == [True, False, True]
