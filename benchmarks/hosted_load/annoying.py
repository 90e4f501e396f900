"""What a pair of hosted bots keeps of its speed beside a nuisance in the next slot."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from arena.database.rows import match_row
from arena.server.results.match_search import MatchFilter, found_matches
from arena.server.uploads.hosted_shifts import FIRST_DELAY
from arena.worker.confined_program import ConfinedProgram
from arena.worker.sandbox import HostedProgram, SandboxError, confined
from benchmarks.hosted_load.programs import GOOD, folder_with, nuisance
from benchmarks.hosted_load.stage import HostingArena, hosting_arena

WARM_UP_SECONDS: Final = 3.0
ROUNDS: Final = 4
"""In turn with it and without: what else the machine does changes all the time."""
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


async def print_beside(name: str, seconds: float) -> None:
    """Print the figures of one nuisance."""
    async with hosting_arena() as stage:
        names = ["good-one", "good-two"]
        async with AsyncExitStack() as running:
            for bot in names:
                await running.enter_async_context(
                    _running(stage, GOOD, await stage.shift_token(bot))
                )
            async with asyncio.timeout(60):
                await stage.recorded(2)
            await asyncio.sleep(WARM_UP_SECONDS)
            rounds = [
                [one async for one in _round(stage, nuisance(name), seconds / ROUNDS)]
                for _ in range(ROUNDS)
            ]
            alone, rate, loaded, cores = (sum(one) / ROUNDS for one in zip(*rounds, strict=True))
        faults = 0
        for bot in names:
            found = await stage.arena.store.rows(found_matches(MatchFilter(bot=bot), limit=100_000))
            for row in map(match_row, found):
                faults += sum(seat.faults for seat in row.seats if seat.bot == bot)
    print(
        f"| {name} | {alone:.0f}/s | {rate:.0f}/s | {rate / alone:.2f} "
        f"| {rate / loaded:.2f} | {faults} | {cores:.2f} cores |",
        flush=True,
    )


async def _round(stage: HostingArena, text: str, seconds: float) -> AsyncIterator[float]:
    """The pair's speed alone, beside a program, and beside one that only computes as much; and how
    much that is."""
    yield await _rate(stage, seconds)
    async with _again_and_again(stage, text) as used:
        await asyncio.sleep(1)
        before = sum(used)
        yield await _rate(stage, seconds)
        cores = min(1.0, max(0.0, (sum(used) - before) / seconds))
    async with _again_and_again(stage, _CORES.format(share=max(0.01, cores))):
        await asyncio.sleep(1)
        yield await _rate(stage, seconds)
    yield cores


async def _rate(stage: HostingArena, seconds: float) -> float:
    recorded = stage.arena.recorded
    await asyncio.sleep(seconds)
    return (stage.arena.recorded - recorded) / seconds


@asynccontextmanager
async def _running(stage: HostingArena, text: str, token: str) -> AsyncIterator[ConfinedProgram]:
    with ExitStack() as stack:
        folder: Path = stack.enter_context(folder_with(text))
        program = HostedProgram(folder, ("python", "bot.py"))
        async with confined(program, socket=stage.socket, token=token) as running:
            yield running


@asynccontextmanager
async def _again_and_again(stage: HostingArena, text: str) -> AsyncIterator[list[float]]:
    """A program that is started again when it was ended, as early as an arena does; the list holds
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
