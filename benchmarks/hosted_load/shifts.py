"""How much of a slot's time is lost between two shifts, and how evenly many bots share slots."""

import asyncio
import time
from collections import Counter
from statistics import median
from typing import Final

from arena.builds.hosted import HostingTerms
from benchmarks.hosted_load.programs import GOOD
from benchmarks.hosted_load.stage import hosting_arena
from benchmarks.referee_load.stage import client
from benchmarks.tables import Table

LONG_SHIFT: Final = 5
SHORT_SHIFT: Final = 2
_LOOK_SECONDS: Final = 0.005
_SHARES: Final = """
SELECT count(shifts.id), coalesce(extract(epoch FROM sum(ended_at - began_at)), 0)::float8,
    count(shifts.id) FILTER (WHERE cut_short)
FROM hosted_bots LEFT JOIN shifts
    ON shifts.version_id = hosted_bots.version_id AND NOT "check" AND ended_at IS NOT NULL
GROUP BY hosted_bots.bot_id
"""
"""Selects for each bot its ended shifts, their seconds, and those that its program cut short."""


async def print_gaps(switches: int) -> None:
    """Print the seconds from the end of one bot's time to the moment at which the next one is
    connected, in a worker with one slot for two bots, which play against another."""
    found: list[float] = []
    async with hosting_arena(HostingTerms(shift_seconds=LONG_SHIFT)) as stage:
        for bot in ("first", "second"):
            await stage.host(bot, GOOD)
        lobby, port = stage.arena.lobby, stage.arena.port
        with client("players", "idle", port, tokens=[await stage.token("other")]) as players:
            async with stage.worker(slots=1), asyncio.timeout((switches + 3) * 20):
                came: float | None = None
                before = lobby.connected
                while len(found) < switches:
                    await asyncio.sleep(_LOOK_SECONDS)
                    now, connected = time.monotonic(), lobby.connected
                    if connected > max(before, 1):
                        if came is not None:
                            found.append(now - came - LONG_SHIFT)
                        came = now
                    before = connected
            players.kill()
    Table().add({"switches": switches, "s lost between two shifts": found})


async def print_shares(bots: int, slots: int, rounds: int) -> None:
    """Print the shifts and seconds of each bot once there were `rounds` shifts a bot on average."""
    async with hosting_arena(HostingTerms(shift_seconds=SHORT_SHIFT)) as stage:
        for number in range(bots):
            await stage.host(f"bot-{number}", GOOD)
        async with stage.worker(slots=slots):
            wanted = rounds * bots
            found = await stage.until(_SHARES, lambda rows: sum(row[0] for row in rows) >= wanted)
    shifts, times, cut = zip(*found, strict=True)
    had = (f"{count} had {number} shifts" for number, count in sorted(Counter(shifts).items()))
    row = {"bots": bots, "slots": slots, "shifts of s": SHORT_SHIFT, "": ", ".join(had)}
    seconds = f"{median(times):.1f} ({min(times):.1f} to {max(times):.1f})"
    Table().add(row, {"s each": seconds, "cut short": sum(cut)})
