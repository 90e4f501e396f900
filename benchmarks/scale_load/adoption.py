"""How long matches wait after their referee ends, or hangs, until another one continues them."""

import asyncio
import signal
import time
from contextlib import ExitStack, suppress
from functools import partial
from typing import Final

import grpc.aio

from arena.v1 import referee_pb2
from benchmarks.referee_load.players import Load, play
from benchmarks.referee_load.stage import database, referee, register
from benchmarks.rounds import Figures, Runs, alternate

BOTS: Final = 8
MATCHES: Final = 16
"""The matches of each bot at each of the two referees."""
FIRST_TURN: Final = "first turn, s"
WARM_UP: Final = 5.0
PATIENCE: Final = 20.0
HOW: Final = {"killed": signal.SIGKILL, "hung": signal.SIGSTOP}
"""On the same machine the end of a process is noticed at once. A hang is noticed only by silence,
like the end of a process on another machine."""


class _Heard(Load):
    """What the bots hear from the referee that is left."""

    def __init__(self) -> None:
        super().__init__()
        self.resumed: set[str] = set()
        self.any_asked = asyncio.Event()
        """Whether one of the resumed matches has a turn."""

    def heard(self, response: referee_pb2.PlayResponse) -> None:
        self.resumed.update(resume.offer.match_id for resume in response.resumes)
        if any(turn.match_id in self.resumed for turn in response.turns):
            self.any_asked.set()


def seconds_until_adopted(rounds: int) -> dict[str, Runs]:
    """Return the seconds until another referee sends a turn, by how the first one ended."""
    with (
        database() as url,
        asyncio.Runner() as loop,  # grpc.aio's poller belongs to the process, and remembers a loop
    ):
        tokens = loop.run(register(url, BOTS, "bot"))
        arms = {how: partial(_gone, loop, url, tokens, sent) for how, sent in HOW.items()}
        return alternate(arms, rounds)


def _gone(loop: asyncio.Runner, url: str, tokens: list[str], how: signal.Signals) -> Figures:
    with ExitStack() as stack:
        (first, process), (second, _) = (stack.enter_context(referee(url)) for _ in range(2))
        stack.callback(process.kill)

        async def measure() -> Figures:
            heard = _Heard()
            async with asyncio.TaskGroup() as tasks:
                playing = [
                    tasks.create_task(_play(port, token, heard if port == second else Load()))
                    for token in tokens
                    for port in (first, second)
                ]
                await asyncio.sleep(WARM_UP)
                began = time.monotonic()
                process.send_signal(how)
                async with asyncio.timeout(PATIENCE):
                    await heard.any_asked.wait()
                waited = time.monotonic() - began
                for task in playing:
                    task.cancel()
            return {FIRST_TURN: waited}

        return loop.run(measure())


async def _play(port: int, token: str, load: Load) -> None:
    """One bot's stream to one referee, until it is cut."""
    with suppress(grpc.aio.AioRpcError):
        await play(port, token, MATCHES, load, connection=())
