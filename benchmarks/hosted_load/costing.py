"""What an answer costs in the sandbox: the same bot confined, and started as any program.

A referee of the benchmark's own asks it recorded turns (as in benchmarks.languages): the confined
one over the socket, as hosted bots play, the other over its port, and on one processor as well.
"""

import asyncio
import os
import random
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc.aio

from arena.local.programs.program import open_socket
from arena.v1.referee_pb2_grpc import add_RefereeServiceServicer_to_server
from arena.worker.sandbox import HostedProgram, confined, kill
from arena.worker.usage import usage_of
from benchmarks.hosted_load.programs import GOOD, folder_with
from benchmarks.languages import Asking

WARM_UP_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a decision, in microseconds."""

    cpu: float
    """All of the program's processes."""
    wall: float
    """The median from a turn sent to its answer received."""


async def costs(rounds: int, seconds: float, matches: int) -> tuple[Cost, Cost]:
    """Confined and unconfined, each the medians of rounds that take turns, with so many matches at
    once."""
    hosted, free = [], []
    for _ in range(rounds):
        hosted.append(await _cost(True, seconds, matches))
        free.append(await _cost(False, seconds, matches))
    return _medians(hosted), _medians(free)


async def _cost(in_sandbox: bool, seconds: float, matches: int) -> Cost:
    asking = Asking(matches)
    server = grpc.aio.server()
    add_RefereeServiceServicer_to_server(asking, server)
    with ExitStack() as stack:
        socket = Path(stack.enter_context(tempfile.TemporaryDirectory()), "referee.sock")
        folder = stack.enter_context(folder_with(GOOD))
        server.add_insecure_port(f"unix:{socket}")
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            open_socket(f"unix:{socket}")
            socket.parent.chmod(0o755)
            async with AsyncExitStack() as running:
                if in_sandbox:
                    program = HostedProgram(folder, ("python", "bot.py"))
                    process = (
                        await running.enter_async_context(
                            confined(program, socket=socket, token="measured")
                        )
                    ).first
                else:
                    process = await running.enter_async_context(_unconfined(folder, port))
                async with asyncio.timeout(60):
                    await asking.answered.wait()
                await asyncio.sleep(WARM_UP_SECONDS)
                asking.measured.times.clear()
                answers, before = asking.measured.answers, usage_of(process).processor_seconds
                await asyncio.sleep(seconds)
                used = usage_of(process).processor_seconds - before
                answers = asking.measured.answers - answers
                return Cost(used / answers * 1e6, statistics.median(asking.measured.times) * 1e6)
        finally:
            await server.stop(None)


@asynccontextmanager
async def _unconfined(folder: Path, port: int) -> AsyncIterator[int]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "bot.py"),
        cwd=folder,
        env=os.environ | {"ARENA_ADDRESS": f"127.0.0.1:{port}", "ARENA_TOKEN": "measured"},
        stderr=asyncio.subprocess.DEVNULL,
    )
    # As many as a confined one gets: what is compared is the sandbox, not the processors.
    os.sched_setaffinity(process.pid, {random.choice(sorted(os.sched_getaffinity(0)))})
    try:
        yield process.pid
    finally:
        kill(process)
        await process.wait()


def _medians(some: list[Cost]) -> Cost:
    return Cost(
        statistics.median(one.cpu for one in some), statistics.median(one.wall for one in some)
    )
