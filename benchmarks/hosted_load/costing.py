"""What an answer costs in the sandbox: the same bot confined, and started as any program.

A referee of the benchmark's own asks it recorded turns (as in benchmarks.languages): the confined
one over the socket, as hosted bots play, the other over its port, and on one processor as well.
"""

import asyncio
import os
import random
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Final

import grpc.aio

from arena.local.programs.program import open_socket
from arena.v1.referee_pb2_grpc import add_RefereeServiceServicer_to_server
from arena.worker.sandbox import HostedProgram, confined, kill
from arena.worker.usage import usage_of
from benchmarks.hosted_load.programs import GOOD, folder_with
from benchmarks.languages import Asking

WARM_UP_SECONDS: Final = 2.0
MATCHES: Final = (1, 16)


async def print_costs(rounds: int, seconds: float) -> None:
    """Print what a decision costs confined and unconfined: medians of rounds that take turns."""
    print("| matches at once | CPU confined, unconfined | ratio | time of an answer | ratio |")
    print("| --- | --- | --- | --- | --- |")
    for matches in MATCHES:
        arms: list[list[tuple[float, float]]] = [[], []]
        for _ in range(rounds):
            for in_sandbox, found in zip((True, False), arms, strict=True):
                found.append(await _cost(in_sandbox, seconds, matches))
        (cpu, wall), (free_cpu, free_wall) = (map(median, zip(*arm, strict=True)) for arm in arms)
        print(
            f"| {matches} | {cpu:.0f}, {free_cpu:.0f} µs | {cpu / free_cpu:.2f} "
            f"| {wall:.0f}, {free_wall:.0f} µs | {wall / free_wall:.2f} |",
            flush=True,
        )


async def _cost(in_sandbox: bool, seconds: float, matches: int) -> tuple[float, float]:
    """Of a decision, in microseconds: the CPU of all of the program's processes, and the median
    from a turn sent to its answer received."""
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
                return used / answers * 1e6, median(asking.measured.times) * 1e6
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
