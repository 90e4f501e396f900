"""How much of a slot's time is lost between two shifts."""

import asyncio
import statistics
import time
from typing import Final

from arena.builds.hosted import HostingTerms
from benchmarks.hosted_load.programs import GOOD
from benchmarks.hosted_load.stage import hosting_arena
from benchmarks.referee_load.stage import client

SHIFT_SECONDS: Final = 5
_LOOK_SECONDS: Final = 0.005


async def print_gaps(switches: int) -> None:
    """Print the seconds from the end of one bot's time to the moment at which the next one is
    connected, in a worker with one slot for two bots, which play against another."""
    found: list[float] = []
    async with hosting_arena(HostingTerms(shift_seconds=SHIFT_SECONDS)) as stage:
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
                            found.append(now - came - SHIFT_SECONDS)
                        came = now
                    before = connected
            players.kill()
    print(
        f"\nBetween two shifts a slot loses {statistics.median(found):.2f} s "
        f"({min(found):.2f} to {max(found):.2f}, {len(found)} switches)",
        flush=True,
    )
