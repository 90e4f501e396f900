"""Benchmark of analysis: how long the analysis of many recorded matches between two takes.

Plays the matches among the sample bots honest, bayes and cfr, records them in a database of its
own, and lets `arena analyse --missing` analyse and keep them. Printed are its seconds from start to
end, and the machine's load. The target is three minutes for 10,000 matches on two cores.
"""

import asyncio
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations, islice
from pathlib import Path
from typing import Final
from uuid import UUID, uuid5

from arena.codec.transcript import to_bytes
from arena.games import make_game
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.records import Block, BlockKind, FinishedMatch, Registered
from arena.server.app.store import open_store
from benchmarks.options import command
from benchmarks.referee_load.stage import arena, database
from benchmarks.tables import Table
from benchmarks.verdicts import upper

BOTS: Final = ("honest", "bayes", "cfr")
TARGET_SECONDS: Final = 180.0
"""For 10,000 matches."""
AT_ONCE: Final = 1_000
"""Matches that are recorded together."""
_NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
_BLOCKS: Final = UUID("6f6f0f0c-7c1c-4a58-9d0a-0d3f0b9f9f11")


def main(matches: int = 10_000, jobs: int = 2, json: Path | None = None) -> None:
    table = Table()
    with database() as url:
        asyncio.run(_fill(url, matches))
        load, began = os.getloadavg()[0], time.monotonic()
        print(arena("analyse", "--missing", "--jobs", jobs, url=url), end="")
        seconds = time.monotonic() - began
    figures = {"matches": matches, "processes": jobs, "s": seconds}
    loads = {"load before": load, "load after": os.getloadavg()[0]}
    table.add(figures, loads, {"target": upper(TARGET_SECONDS * matches / 10_000, [seconds])})
    table.write(json)


async def _fill(url: str, matches: int) -> None:
    async with open_store(url) as store:
        entries = {}
        for name in BOTS:
            entries[name], _ = await store.register(name, f"owner of {name}")
        played = _played(entries, matches)
        while part := list(islice(played, AT_ONCE)):
            await store.record(part)


def _played(entries: dict[str, Registered], matches: int) -> Iterator[FinishedMatch]:
    pairs = list(combinations(BOTS, 2))
    for at, pair in enumerate(pairs):
        contenders = [Contender(name, load_bot(name)) for name in pair]
        blocks = len(range(2 * at, matches, 2 * len(pairs)))
        series = play_series(make_game("bluff"), contenders, 2 * blocks, f"analysis {at}")
        for number, match in enumerate(series):
            seated = [entries[pair[contender]] for contender in match.contenders]
            setup = replace(match.transcript.setup, entrants=tuple(one.entrant for one in seated))
            transcript = replace(match.transcript, setup=setup)
            began = _NOON + timedelta(seconds=10 * (number * len(pairs) + at))
            yield FinishedMatch(
                transcript=transcript,
                written=to_bytes(transcript),
                version_ids=tuple(one.version_id for one in seated),
                block=Block(str(uuid5(_BLOCKS, f"{at} {number // 2}")), BlockKind.SEAT, 2),
                position=number % 2,
                started_at=began,
                finished_at=began + timedelta(seconds=9),
            )


if __name__ == "__main__":
    command(main)
