"""How much of its speed a pair of hosted bots keeps beside a nuisance in the next slot."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from statistics import fmean
from typing import Final

from arena.server.uploads.hosted_shifts import FIRST_DELAY
from arena.worker.confined_program import ConfinedProgram
from arena.worker.sandbox import HostedProgram, SandboxError, confined
from benchmarks.hosted_load.programs import GOOD, folder_with, nuisance
from benchmarks.hosted_load.stage import HostingArena, hosting_arena
from benchmarks.rounds import Figures, together

WARM_UP_SECONDS: Final = 3.0
ROUNDS: Final = 4
"""Each round measures with and without the nuisance, as the machine's other load changes."""
_numbers = itertools.count()
_CORES = """
import time
share = {share}
while True:
    begun = time.process_time()
    while time.process_time() - begun < 0.01 * share:
        pass
    time.sleep(0.01 * (1 - share))
"""
"""Uses a share of a processor, and nothing else."""


async def beside(name: str, seconds: float) -> dict[str, object]:
    """Return the figures of one nuisance: means of the rounds."""
    async with hosting_arena() as stage, AsyncExitStack() as running:
        for bot in ("good-one", "good-two"):
            await running.enter_async_context(_running(stage, GOOD, await stage.shift_token(bot)))
        async with asyncio.timeout(60):
            await stage.recorded(2)
        await asyncio.sleep(WARM_UP_SECONDS)
        rounds = [await _round(stage, nuisance(name), seconds / ROUNDS) for _ in range(ROUNDS)]
        means = {what: fmean(figures) for what, figures in together(rounds).items()}
        shares = {
            "share": means["beside it/s"] / means["alone/s"],
            "of that beside equal load": means["beside it/s"] / means["equal load/s"],
        }
        faults = stage.rows("SELECT sum(faults)::int FROM match_seats")[0][0]
    return {"nuisance": name} | means | shares | {"faults": faults}


async def _round(stage: HostingArena, text: str, seconds: float) -> Figures:
    """Return the pair's matches a second alone, beside a program, and beside one that only uses as
    much CPU; and how many cores that is."""
    alone = await _rate(stage, seconds)
    async with _again_and_again(stage, text) as used:
        await asyncio.sleep(1)
        before = sum(used)
        rate = await _rate(stage, seconds)
        cores = min(1.0, max(0.0, (sum(used) - before) / seconds))
    async with _again_and_again(stage, _CORES.format(share=max(0.01, cores))):
        await asyncio.sleep(1)
        loaded = await _rate(stage, seconds)
    return {"alone/s": alone, "beside it/s": rate, "equal load/s": loaded, "cores": cores}


async def _rate(stage: HostingArena, seconds: float) -> float:
    recorded = stage.arena.recorded
    await asyncio.sleep(seconds)
    return (stage.arena.recorded - recorded) / seconds


@asynccontextmanager
async def _running(stage: HostingArena, text: str, token: str) -> AsyncIterator[ConfinedProgram]:
    with folder_with(text) as folder:
        program = HostedProgram(folder, ("python", "bot.py"))
        async with confined(program, socket=stage.socket, token=token) as running:
            yield running


@asynccontextmanager
async def _again_and_again(stage: HostingArena, text: str) -> AsyncIterator[list[float]]:
    """Run a program, and start it again after each end as early as an arena does; the list holds
    the processor seconds of each run so far."""
    used: list[float] = []
    token = await stage.shift_token(f"nuisance-{next(_numbers)}")

    async def run() -> None:
        while True:
            with suppress(SandboxError):
                async with _running(stage, text, token) as running:
                    used.append(0.0)
                    ending = {
                        asyncio.create_task(running.wait()),
                        asyncio.create_task(running.exceeded()),
                        asyncio.create_task(_note(running, used)),
                    }
                    try:
                        await asyncio.wait(ending, return_when=asyncio.FIRST_COMPLETED)
                    finally:
                        for task in ending:
                            task.cancel()
            await asyncio.sleep(FIRST_DELAY.total_seconds())

    task = asyncio.create_task(run())
    try:
        yield used
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _note(running: ConfinedProgram, used: list[float]) -> None:
    while True:
        await asyncio.sleep(0.2)
        used[-1] = running.look().processor_seconds
