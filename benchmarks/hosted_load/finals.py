"""How long the freeze of an event takes, and how many matches of a final are played a minute."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Final

import psycopg

from benchmarks.hosted_load.programs import GOOD
from benchmarks.hosted_load.stage import HostingArena, hosting_arena
from tests.databases import plain

_NAME: Final = "cup"
_LOOK_SECONDS: Final = 0.2
_ENTRIES: Final = """
WITH owner AS (
    INSERT INTO owners (name, folded, skeleton)
    SELECT 'o' || n, 'o' || n, 'o' || n FROM generate_series(1, %(n)s) AS n RETURNING id
), bot AS (
    INSERT INTO bots (owner_id, name, house, folded, skeleton)
    SELECT id, 'b' || id, false, 'b' || id, 'b' || id FROM owner RETURNING id, owner_id
), version AS (
    INSERT INTO versions (bot_id, label) SELECT id, '1' FROM bot RETURNING id, bot_id
), build AS (
    INSERT INTO builds (owner_id, sha256, file_name, size)
    SELECT owner_id, sha256(id::text::bytea), 'bot.py', 1 FROM bot RETURNING id, owner_id
), hosted AS (
    INSERT INTO hosted_versions (version_id, build_id, state)
    SELECT version.id, build.id, 'accepted'
    FROM version JOIN bot ON bot.id = bot_id JOIN build ON build.owner_id = bot.owner_id
    RETURNING version_id
), playing AS (
    INSERT INTO hosted_bots (bot_id, version_id)
    SELECT bot_id, version.id FROM version JOIN hosted ON hosted.version_id = version.id
    RETURNING bot_id
)
INSERT INTO event_entries (event_id, bot_id, owner_id, team)
SELECT (SELECT max(id) FROM events), bot.id, bot.owner_id, 'team'
FROM bot JOIN playing ON playing.bot_id = bot.id
"""


async def freeze_seconds(entries: int) -> float:
    """Return how long after its date a freeze of so many entries was made."""
    async with hosting_arena() as stage:
        await stage.cup(_NAME, 1)
        soon = datetime.now(UTC) + timedelta(seconds=5)
        with _connection(stage) as connection:
            connection.execute(_ENTRIES, {"n": entries})
            connection.execute("UPDATE events SET freezes_at = %s", [soon])
            connection.execute("SELECT pg_notify('arena_events', '')")
            while True:
                row = connection.execute(
                    "SELECT extract(epoch FROM frozen_at - freezes_at)::float8 FROM events "
                    "WHERE frozen_at IS NOT NULL"
                ).fetchone()
                if row is not None:
                    return float(row[0])
                await asyncio.sleep(_LOOK_SECONDS)


async def final(bots: int, blocks: int, slots: int) -> tuple[int, float]:
    """Play a round robin among so many bots; return its matches, and their seconds."""
    async with hosting_arena() as stage:
        store = stage.arena.store
        await stage.cup(_NAME, blocks, [f"# {number}\n{GOOD}" for number in range(bots)])
        with _connection(stage) as connection:
            # No shift of the ladder comes before it.
            connection.execute("DELETE FROM procrastinate.procrastinate_jobs")
            connection.execute("UPDATE events SET freezes_at = now(), final_at = now()")
            connection.execute("SELECT pg_notify('arena_events', '')")
            async with stage.worker(slots):
                recorded = 0
                while recorded < slots:  # until the worker runs
                    await asyncio.sleep(_LOOK_SECONDS)
                    recorded = _blocks(connection)
                begun, before = time.monotonic(), recorded
                while (await store.events.named(_NAME))[0].ended_at is None:  # noqa: ASYNC110  only the database knows
                    await asyncio.sleep(_LOOK_SECONDS)
                seconds = time.monotonic() - begun
                return 2 * (_blocks(connection) - before), seconds


def _blocks(connection: "psycopg.Connection[tuple[int]]") -> int:
    row = connection.execute("SELECT count(*) FROM event_blocks").fetchone()
    assert row is not None
    return row[0]


def _connection(stage: HostingArena) -> "psycopg.Connection[tuple[int]]":
    return psycopg.connect(plain(stage.url), autocommit=True)
