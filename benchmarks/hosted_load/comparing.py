"""How long `arena event similar` takes for the builds of an event."""

import asyncio
import time
from typing import Final

import psycopg

from benchmarks.hosted_load.programs import GOOD
from benchmarks.hosted_load.stage import hosting_arena
from benchmarks.referee_load.stage import arena
from tests.databases import plain
from tests.server.events.cups import done, played, queued

NAME: Final = "cup"
PARTS: Final = {
    "sources": ("--no-behaviour", "--no-soft-play"),
    "behaviour": ("--no-sources", "--no-soft-play"),
    "soft play": ("--no-sources", "--no-behaviour"),
}
"""The parts of the report, by the options that leave out the others."""


async def print_compared(bots: int, blocks: int) -> None:
    """Compare so many builds after a final whose matches were played in this process; print how
    long each part took, run by itself."""
    async with hosting_arena() as stage:
        store = stage.arena.store
        doubts = (GOOD.replace("% 5", f"% {number % 7 + 3}") for number in range(bots))
        await stage.cup(NAME, blocks, [f"# {number}\n{bot}" for number, bot in enumerate(doubts)])
        with psycopg.connect(plain(stage.url), autocommit=True) as connection:
            connection.execute("UPDATE events SET freezes_at = now(), final_at = now()")
            await store.finals.keep(store.record)
            waiting, signer = queued(connection), await store.signer()
            done(connection)
            for block in waiting:
                found = await store.finals.begin_block(block)
                assert found is not None
                await store.finals.end_block(block, list(map(played, found.matches)), signer)
            row = connection.execute("SELECT count(*) FROM event_blocks").fetchone()
        assert row is not None
        seconds = {}
        for part, options in PARTS.items():
            began = time.monotonic()
            words = ("event", "similar", NAME, "--json", *options)
            await asyncio.to_thread(arena, *words, url=stage.url)
            seconds[part] = time.monotonic() - began
    parts = ", ".join(f"{part} {took:.0f} s" for part, took in seconds.items())
    print(
        f"\narena event similar, {bots} builds, {2 * row[0]:,} matches: {parts}; "
        f"{sum(seconds.values()):.0f} s in all"
    )
