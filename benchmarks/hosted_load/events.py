"""Events of hosted bots: their freeze, the matches of a final, and `arena event similar`."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Final

import psycopg

from benchmarks.hosted_load.programs import GOOD
from benchmarks.hosted_load.stage import hosting_arena
from benchmarks.referee_load.stage import arena
from benchmarks.tables import Table
from tests.databases import plain
from tests.server.events.cups import played_out

_NAME: Final = "cup"
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
_BLOCKS: Final = "SELECT count(*) FROM event_blocks"
_SIMILAR: Final = {
    "sources": ("--no-behaviour", "--no-soft-play"),
    "behaviour": ("--no-sources", "--no-soft-play"),
    "soft play": ("--no-sources", "--no-behaviour"),
}
"""The parts of the report, each with the options that leave out the others."""


async def freeze_seconds(entries: int) -> float:
    """Return how many seconds after its date a freeze of that many entries was made."""
    async with hosting_arena() as stage:
        await stage.cup(_NAME, 1)
        soon = datetime.now(UTC) + timedelta(seconds=5)
        stage.rows(_ENTRIES, {"n": entries})
        stage.rows("UPDATE events SET freezes_at = %(soon)s", {"soon": soon})
        stage.rows("SELECT pg_notify('arena_events', '')")
        frozen = "SELECT extract(epoch FROM frozen_at - freezes_at)::float8 FROM events"
        return float((await stage.until(frozen, lambda rows: rows[0][0] is not None))[0][0])


async def final(bots: int, blocks: int, slots: int) -> tuple[int, float]:
    """Play a round robin among bots; return its matches, and the seconds that they took."""
    async with hosting_arena() as stage:
        await stage.cup(_NAME, blocks, [f"# {number}\n{GOOD}" for number in range(bots)])
        # No shift of the ladder comes before it.
        stage.rows("DELETE FROM procrastinate.procrastinate_jobs")
        stage.rows("UPDATE events SET freezes_at = now(), final_at = now()")
        stage.rows("SELECT pg_notify('arena_events', '')")
        async with stage.worker(slots):
            # Until the worker runs, and until the final is over.
            ((before,),) = await stage.until(_BLOCKS, lambda rows: rows[0][0] >= slots)
            begun = time.monotonic()
            await stage.until("SELECT ended_at FROM events", lambda rows: rows[0][0] is not None)
            return 2 * (stage.rows(_BLOCKS)[0][0] - before), time.monotonic() - begun


async def print_compared(bots: int, blocks: int) -> None:
    """Compare the bots' builds after a final whose matches were played in this process; print how
    long each part took, run by itself."""
    async with hosting_arena() as stage:
        store = stage.arena.store
        doubts = (GOOD.replace("% 5", f"% {number % 7 + 3}") for number in range(bots))
        await stage.cup(_NAME, blocks, [f"# {number}\n{bot}" for number, bot in enumerate(doubts)])
        stage.rows("UPDATE events SET freezes_at = now(), final_at = now()")
        await store.finals.keep(store.record)
        with psycopg.connect(plain(stage.url), autocommit=True) as connection:
            await played_out(store, connection, (await store.events.named(_NAME))[0])
        row = {"builds": bots, "matches": 2 * stage.rows(_BLOCKS)[0][0]}
        seconds = {}
        for part, options in _SIMILAR.items():
            began = time.monotonic()
            words = ("event", "similar", _NAME, "--json", *options)
            await asyncio.to_thread(arena, *words, url=stage.url)
            seconds[f"{part}, s"] = time.monotonic() - began
    Table().add(row, seconds, {"all, s": sum(seconds.values())})
