"""How long matches of a referee stand still that ends, or hangs, until the other one asks on."""

import asyncio
import secrets
import signal
import statistics
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

import grpc
import grpc.aio

from arena.database.embedded import EmbeddedPostgres
from arena.database.schema import migrate
from arena.v1 import referee_pb2, referee_pb2_grpc
from benchmarks.referee_load.players import answer
from benchmarks.referee_load.stage import Figures, referee, register
from benchmarks.scale_load.verdicts import Runs, together

BOTS: Final = 8
MATCHES: Final = 16
"""Of each bot at each of the two referees."""
FIRST_TURN: Final = "first turn, s"
WARM_UP: Final = 5.0
PATIENCE: Final = 20.0
HOW: Final = {"killed": signal.SIGKILL, "hung": signal.SIGSTOP}
"""A process of the same machine that ends is missed at once; one that hangs only by its silence, as
one that ends on another machine."""


@dataclass
class _Heard:
    """What the bots hear from the referee that goes on."""

    resumed: set[str] = field(default_factory=set)
    asked: dict[str, float] = field(default_factory=dict)
    """When each of the resumed matches was asked for the first time."""
    any_asked: asyncio.Event = field(default_factory=asyncio.Event)


def seconds_until_adopted(rounds: int) -> dict[str, Runs]:
    """By how a referee goes, the seconds until the first, and until half, of its matches get a turn
    at the other, and how many these are."""
    found: dict[str, list[Figures]] = {how: [] for how in HOW}
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedPostgres(Path(home) / "postgres") as url,
        asyncio.Runner() as loop,  # grpc.aio's poller belongs to the process, and remembers a loop
    ):
        migrate(url)
        tokens = loop.run(register(url, BOTS, "bot"))
        for _ in range(rounds):
            for how, figures in found.items():
                figures.append(_gone(loop, url, tokens, HOW[how]))
    return {how: together(figures) for how, figures in found.items()}


def _gone(loop: asyncio.Runner, url: str, tokens: list[str], how: signal.Signals) -> Figures:
    with ExitStack() as stack:
        (first, process), (second, _) = (stack.enter_context(referee(url)) for _ in range(2))
        stack.callback(process.kill)

        async def measure() -> Figures:
            heard = _Heard()
            async with asyncio.TaskGroup() as tasks:
                playing = [
                    tasks.create_task(_play(port, token, heard if port == second else None))
                    for token in tokens
                    for port in (first, second)
                ]
                await asyncio.sleep(WARM_UP)
                began = time.monotonic()
                process.send_signal(how)
                async with asyncio.timeout(PATIENCE):
                    await heard.any_asked.wait()
                await asyncio.sleep(1)  # for the others of the same adoption
                for task in playing:
                    task.cancel()
            waited = sorted(at - began for at in heard.asked.values())
            return {
                FIRST_TURN: waited[0],
                "half of them, s": statistics.median(waited),
                "matches": float(len(heard.resumed)),
            }

        return loop.run(measure())


async def _play(port: int, token: str, heard: _Heard | None) -> None:
    """One bot's stream to one referee, until it is cut."""
    random = Random(token)
    with suppress(grpc.aio.AioRpcError):
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            metadata = (("authorization", f"Bearer {token}"),)
            stream = referee_pb2_grpc.RefereeServiceStub(channel).Play(metadata=metadata)
            hello = referee_pb2.Hello(protocol_version=1, games=["bluff"], max_matches=MATCHES)
            await stream.write(referee_pb2.PlayRequest(hello=hello))
            while isinstance(response := await stream.read(), referee_pb2.PlayResponse):
                request = referee_pb2.PlayRequest()
                for offer in response.offers:
                    request.joins.add(match_id=offer.match_id, entropy=secrets.token_bytes(16))
                for turn in response.turns:
                    answer(turn, request.answers.add(), random)
                if heard is not None:
                    _note(heard, response)
                if response.offers or response.turns:
                    await stream.write(request)


def _note(heard: _Heard, response: referee_pb2.PlayResponse) -> None:
    now = time.monotonic()
    heard.resumed.update(resume.offer.match_id for resume in response.resumes)
    for turn in response.turns:
        if turn.match_id in heard.resumed:
            heard.asked.setdefault(turn.match_id, now)
            heard.any_asked.set()
