"""How evenly many hosted bots share a worker's slots."""

import asyncio
from collections import Counter
from statistics import median
from typing import Final

import psycopg

from arena.builds.hosted import HostingTerms
from benchmarks.hosted_load.programs import GOOD
from benchmarks.hosted_load.stage import HostingArena, hosting_arena
from tests.databases import plain

SHIFT_SECONDS: Final = 2
_LOOK_SECONDS: Final = 1.0
_SHARES: Final = """
SELECT count(shifts.id), coalesce(extract(epoch FROM sum(ended_at - began_at)), 0)::float8,
    count(shifts.id) FILTER (WHERE cut_short)
FROM hosted_bots LEFT JOIN shifts
    ON shifts.version_id = hosted_bots.version_id AND NOT "check" AND ended_at IS NOT NULL
GROUP BY hosted_bots.bot_id
"""


async def print_shares(bots: int, slots: int, rounds: int) -> None:
    """Print what each bot has when all together had so many shifts a bot."""
    async with hosting_arena(HostingTerms(shift_seconds=SHIFT_SECONDS)) as stage:
        for number in range(bots):
            await stage.host(f"bot-{number}", GOOD)
        async with stage.worker(slots=slots):
            found = _so_far(stage)
            while sum(shifts for shifts, _, _ in found) < rounds * bots:
                await asyncio.sleep(_LOOK_SECONDS)
                found = _so_far(stage)
    shifts, times, cut = zip(*found, strict=True)
    print(
        f"\n{bots} bots on {slots} slots, shifts of {SHIFT_SECONDS} s: "
        + ", ".join(f"{had} had {number} shifts" for number, had in sorted(Counter(shifts).items()))
        + f"; {median(times):.1f} s each ({min(times):.1f} to {max(times):.1f}), "
        f"{sum(cut)} shifts cut short",
        flush=True,
    )


def _so_far(stage: HostingArena) -> list[tuple[int, float, int]]:
    """By bot, its shifts that are over, their seconds, and those that its program cut short."""
    with psycopg.connect(plain(stage.url)) as connection:
        return connection.execute(_SHARES).fetchall()
