"""Benchmark of `arena event verify`: an archive is made in this process, and then recomputed.

A round robin of 20 bots with 53 blocks of two matches of Bluff a pairing, 20,140 matches, as long
as those of bots that raise by little. What the bots choose costs nothing; lots, deals, signatures
and transcripts are those of a final. Verified is the file, by the command in a process of its own;
it stays where `--keep` says.
"""

import asyncio
import logging
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

import psycopg
import structlog

from arena.database.reading import open_reader
from arena.server.app.store import open_store
from arena.server.events.finals.archive import zipped
from arena.server.events.finals.archive_reading import match_ids, stored_event
from arena.server.results.match_finding import transcripts_named
from benchmarks.options import command
from benchmarks.referee_load.stage import arena, database
from benchmarks.tables import Table
from benchmarks.verdicts import upper
from tests.databases import plain
from tests.server.events.cups import RULES, entrant, let_pass, played_out, said

TARGET_SECONDS: Final = 600.0
TARGET_MATCHES: Final = 20_000


def main(bots: int = 20, blocks: int = 53, keep: Path | None = None) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with TemporaryDirectory() as folder:
        file = keep or Path(folder) / "final.zip"
        began = time.monotonic()
        matches, steps = asyncio.run(_write(file, bots, blocks))
        written = time.monotonic()
        arena("event", "verify", file)
        verified = time.monotonic() - written
        figures = {
            "matches": matches,
            "steps a match": steps / matches,
            "played and archived, s": written - began,
            "MB": file.stat().st_size / 1e6,
            "arena event verify, s": verified,
            "ms a match": 1e3 * verified / matches,
            "target, s": upper(TARGET_SECONDS * matches / TARGET_MATCHES, [verified]),
        }
    Table().add(figures)


async def _write(file: Path, bots: int, blocks: int) -> tuple[int, int]:
    """Write the archive of a final; return the numbers of its matches and of their steps."""
    with database() as url, psycopg.connect(plain(url), autocommit=True) as connection:
        async with open_store(url) as store:
            await store.events.create("cup", said(replace(RULES, options={}, blocks=blocks)), "me")
            for number in range(1, bots + 1):
                await entrant(store, url, "cup", f"{number:02}")
            let_pass(connection, "cup", 2.1)
            await store.finals.keep(store.record)
            event, _ = await store.events.named("cup")
            event = await played_out(store, connection, event, _choose)
            let_pass(connection, "cup", 1)
            await store.finals.keep(store.record)
            signed = await store.archives.signed(event)
        assert signed is not None
        with open_reader(url) as read, file.open("wb") as archive:
            transcripts = list(transcripts_named(read, match_ids(stored_event(signed.text))))
            archive.writelines(zipped(signed, transcripts))
    return len(transcripts), sum(len(one.steps) for one in transcripts)


def _choose(_bots: Any, _seat: int, _view: Any, choices: list[Any], random: Random) -> Any:
    """Doubt one time in four, where that is allowed; else raise by little."""
    doubts = [one for one in choices if not hasattr(one, "quantity")]
    if doubts and random.random() < 1 / 4:
        return doubts[0]
    bets = [one for one in choices if hasattr(one, "quantity")]
    return random.choice(bets[:4] or doubts)


if __name__ == "__main__":
    command(main)
