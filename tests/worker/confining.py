"""Runs programs confined, without a referee."""

import asyncio
from pathlib import Path

from arena.worker.limits import MIB, SandboxLimits
from arena.worker.sandbox import HostedProgram, confined
from tests.bots import PATIENCE

SMALL = SandboxLimits(
    memory_bytes=96 * MIB,
    tasks=24,
    open_files=64,
    temporary_bytes=4 * MIB,
    temporary_files=500,
    printed_bytes=MIB,
)
"""Limits that a nuisance reaches at once."""


async def outcome(
    program: HostedProgram, socket: Path | None = None, limits: SandboxLimits = SMALL
) -> tuple[str, str]:
    """Why a program was ended ("" if it ended by itself), and what it printed."""
    async with (
        asyncio.timeout(PATIENCE),
        confined(program, socket=socket, token="its own", limits=limits) as running,
    ):
        ended = asyncio.create_task(running.wait())
        exceeded = asyncio.create_task(running.exceeded())
        await asyncio.wait({ended, exceeded}, return_when=asyncio.FIRST_COMPLETED)
        sentence = exceeded.result() if exceeded.done() else ""
        ended.cancel()
        exceeded.cancel()
    return sentence, running.printed.text()
