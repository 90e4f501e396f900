"""What an answer costs in the sandbox: the same bot confined, and started as any program.

A referee of the benchmark's own asks it recorded turns: the confined one over the socket, as hosted
bots play, the other over its port, and on a single processor like the confined one.
"""

import asyncio
import os
import random
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

from arena.local.programs.program import open_socket
from arena.worker.sandbox import HostedProgram, confined
from benchmarks.asking import Asking, program, serving
from benchmarks.hosted_load.programs import GOOD, folder_with
from benchmarks.rounds import Figures, alternate, ratios
from benchmarks.tables import Table

WARM_UP_SECONDS: Final = 2.0
MATCHES: Final = (1, 16)
PLACES: Final = ("confined", "unconfined")
FIGURES: Final = ("CPU of a decision, µs", "median answer, ms")


def print_costs(rounds: int, seconds: float) -> None:
    """Print what a decision costs confined and unconfined, in rounds."""
    table = Table()
    with asyncio.Runner() as loop:  # grpc.aio's poller belongs to the process, and remembers a loop
        for matches in MATCHES:

            def cost(place: str, matches: int = matches) -> Figures:
                figures = loop.run(_figures(place, seconds, matches))
                return {what: figures[what] for what in FIGURES}

            found = alternate({place: partial(cost, place) for place in PLACES}, rounds)
            for place, runs in found.items():
                relative = {
                    f"{what} to unconfined": ratios(figures, found["unconfined"][what])
                    for what, figures in runs.items()
                }
                table.add({"matches at once": matches, "": place}, runs, relative)


async def _figures(place: str, seconds: float, matches: int) -> Figures:
    asking = Asking(matches)
    with tempfile.TemporaryDirectory() as home, folder_with(GOOD) as folder:
        socket = Path(home, "referee.sock")
        async with serving(asking, socket) as port:
            open_socket(f"unix:{socket}")
            socket.parent.chmod(0o755)
            if place == "confined":
                hosted = HostedProgram(folder, ("python", "bot.py"))
                async with confined(hosted, socket=socket, token="measured") as running:
                    return await asking.figures(running.first, WARM_UP_SECONDS, seconds)
            async with program((sys.executable, "bot.py"), folder, port) as process:
                # One processor, like the confined bot: the sandbox is compared, not processors.
                os.sched_setaffinity(process, {random.choice(sorted(os.sched_getaffinity(0)))})
                return await asking.figures(process, WARM_UP_SECONDS, seconds)
