"""Many uploads at once beside a running load."""

import asyncio
import json
import statistics
import sys
from collections.abc import Sequence
from typing import Any, Final

from benchmarks.hosted_load.stage import HostingArena, hosting_arena

OWNERS: Final = 60
"""Five hosted bots each."""
PLACES: Final = 4
"""Matches at once of each bot of the load."""


async def print_rush(uploads: int, seconds: float) -> None:
    """Print what came of uploads within so many seconds, beside a pair of bots."""
    async with hosting_arena() as stage:
        tokens = [await stage.token(bot) for bot in ("one", "two")]
        keys = [(await stage.owner(f"owner {number}"))[1] for number in range(OWNERS)]
        words = (str(stage.arena.port), str(uploads), f"{seconds:g}")
        before = await _load(stage, tokens, seconds / 3)
        uploading = asyncio.create_task(_said("hosted_load.uploading", words, keys))
        during = await _load(stage, tokens, seconds - 5)
        uploaded = await uploading
        after = await _load(stage, tokens, seconds / 3)
        stored = len(await stage.arena.store.bots()) - len(tokens)
    quiet = statistics.mean([before["p99_us"], after["p99_us"]])
    speed = statistics.mean([before["per_second"], after["per_second"]])
    refused = uploaded["refused"]
    print(
        f"\n{uploaded['taken']} uploads in {uploaded['seconds']:.0f} s, {stored} wait for their "
        f"check, {len(refused)} refused; an upload takes {uploaded['median_ms']:.0f} ms, at most "
        f"{uploaded['longest_ms']:.0f}. Decisions beside them: 99th percentile "
        f"{during['p99_us'] / quiet:.2f} ×, {during['per_second'] / speed:.2f} of the speed",
        flush=True,
    )
    for sentence in sorted(set(refused)):
        print(f"refused: {sentence}")


async def _load(stage: HostingArena, tokens: Sequence[str], seconds: float) -> dict[str, float]:
    words = ("play", str(stage.arena.port), str(PLACES), f"{seconds - 4:g}", "3")
    figures: dict[str, float] = await _said("referee_load.players", words, tokens)
    return figures


async def _said(module: str, words: Sequence[str], lines: Sequence[str]) -> Any:
    """What a program of the benchmarks prints, as JSON."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", f"benchmarks.{module}", *words),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    answer, _ = await process.communicate("\n".join(lines).encode())
    return json.loads(answer)
