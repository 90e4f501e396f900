"""How evenly many hosted bots share a worker's slots."""

import asyncio
from dataclasses import dataclass
from typing import Final

import psycopg

from arena.builds.hosted import HostingTerms
from benchmarks.hosted_load.programs import GOOD
from benchmarks.hosted_load.stage import HostingArena, hosting_arena

SHIFT_SECONDS: Final = 2
_LOOK_SECONDS: Final = 1.0
_SHARES: Final = """
SELECT count(shifts.id), coalesce(extract(epoch FROM sum(ended_at - began_at)), 0)::float8,
    count(shifts.id) FILTER (WHERE cut_short)
FROM hosted_bots LEFT JOIN shifts
    ON shifts.version_id = hosted_bots.version_id AND NOT "check" AND ended_at IS NOT NULL
GROUP BY hosted_bots.bot_id
"""


@dataclass(frozen=True, slots=True)
class Share:
    """What one bot had of the slots."""

    shifts: int
    """That are over."""
    seconds: float
    """From the beginning of each to its end."""
    cut_short: int
    """By its program, of these shifts."""


async def shares(bots: int, slots: int, rounds: int) -> list[Share]:
    """What each bot has when all together had so many shifts a bot."""
    async with hosting_arena(HostingTerms(shift_seconds=SHIFT_SECONDS)) as stage:
        for number in range(bots):
            await stage.host(f"bot-{number}", GOOD)
        async with stage.worker(slots=slots):
            found = _so_far(stage)
            while sum(one.shifts for one in found) < rounds * bots:
                await asyncio.sleep(_LOOK_SECONDS)
                found = _so_far(stage)
    return found


def _so_far(stage: HostingArena) -> list[Share]:
    with psycopg.connect(stage.url.replace("+psycopg", "", 1)) as connection:
        return [Share(*row) for row in connection.execute(_SHARES)]
