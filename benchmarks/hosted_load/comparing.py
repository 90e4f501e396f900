"""How long `arena event similar` takes for the builds of an event."""

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from typing import Final

import psycopg

from benchmarks.hosted_load.programs import GOOD
from benchmarks.hosted_load.stage import hosting_arena
from tests.server.events.cups import RULES, done, played, queued, said

NAME: Final = "cup"
PARTS: Final = {
    "sources": ("--no-behaviour", "--no-soft-play"),
    "behaviour": ("--no-sources", "--no-soft-play"),
    "soft play": ("--no-sources", "--no-behaviour"),
}
"""The parts of the report, by the options that leave out the others."""


@dataclass(frozen=True, slots=True)
class Compared:
    """How long the command took."""

    seconds: dict[str, float]
    """By part, each run by itself; the whole takes as long as all of them."""
    matches: int
    """Of the final."""


async def compare(bots: int, blocks: int) -> Compared:
    """Compare so many builds after a final whose matches were played in this process."""
    async with hosting_arena() as stage:
        store = stage.arena.store
        cup = said(replace(RULES, options={}, blocks=blocks))
        await store.events.create(NAME, cup, "benchmark")
        for number in range(bots):
            doubts = GOOD.replace("% 5", f"% {number % 7 + 3}")
            await stage.host(f"bot-{number}", f"# {number}\n{doubts}")
            owner = await store.owners.named(f"owner of bot-{number}")
            await store.events.enter(owner, NAME, f"bot-{number}")
        address = stage.url.replace("+psycopg", "", 1)
        with psycopg.connect(address, autocommit=True) as connection:
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
            await asyncio.to_thread(_run, stage.url, options)
            seconds[part] = time.monotonic() - began
        return Compared(seconds, 2 * row[0])


def _run(url: str, options: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "arena", "event", "similar", NAME, "--json", *options]
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"ARENA_DATABASE_URL": url}
    )
