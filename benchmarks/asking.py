"""A referee that asks one bot the recorded turns of Bluff, as fast as it answers."""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any, Final

import grpc.aio
from google.protobuf.json_format import ParseDict

from arena.processes import processor_seconds
from arena.v1 import referee_pb2 as pb
from arena.v1.referee_pb2_grpc import RefereeServiceServicer, add_RefereeServiceServicer_to_server
from benchmarks.rounds import Figures

SAMPLE_BOTS: Final = Path(__file__).parents[1] / "sample_bots"
START_SECONDS: Final = 60.0


class Asking(RefereeServiceServicer):
    """Asks a bot turn after turn, in matches that always have one open turn each."""

    def __init__(self, matches: int) -> None:
        lines = (SAMPLE_BOTS / "vectors/turns_bluff.jsonl").read_text().splitlines()
        vector = json.loads(lines[0])
        self._views = [
            pb.Turn(view=ParseDict(one["view"], pb.Turn().view)) for one in vector["turns"]
        ]
        self._offer = ParseDict({"options": vector["options"], "entrants": [{}, {}]}, pb.Offer())
        self._matches = matches
        self._answered = asyncio.Event()
        self._times: list[float] = []
        """Seconds from a turn to its answer."""

    async def figures(self, process: int, warm_up: float, seconds: float) -> Figures:
        """Return how fast a bot answers after the warm-up, and the CPU time of its processes."""
        began = time.monotonic()
        async with asyncio.timeout(START_SECONDS):
            await self._answered.wait()
        first_answer = time.monotonic() - began
        await asyncio.sleep(warm_up)
        self._times.clear()
        before, began = processor_seconds(process), time.monotonic()
        await asyncio.sleep(seconds)
        answers, lasted = len(self._times), time.monotonic() - began
        return {
            "decisions/s": answers / lasted,
            "median answer, ms": 1e3 * median(self._times),
            "CPU of a decision, µs": 1e6 * (processor_seconds(process) - before) / answers,
            "first answer, s": first_answer,
        }

    async def Play(self, requests: Any, context: Any) -> None:  # type: ignore[override]  # noqa: N802
        await anext(requests)
        welcome = pb.Welcome(
            protocol_version=1, max_matches=self._matches, games=["bluff"], knows_drain=True
        )
        welcome.entrant.bot, welcome.entrant.version = "measured", "1"
        response = pb.PlayResponse(welcome=welcome)
        for number in range(self._matches):
            offer = response.offers.add()
            offer.CopyFrom(self._offer)
            offer.match_id = str(number)
            offer.fault_limit = 3
        await context.write(response)
        sent: dict[str, tuple[int, float]] = {}
        async for request in requests:
            now = time.monotonic()
            asked = [join.match_id for join in request.joins]
            for answer in request.answers:
                number, when = sent[answer.match_id]
                assert answer.turn_number == number and answer.action.WhichOneof("game") == "bluff"
                self._times.append(now - when)
                asked.append(answer.match_id)
                self._answered.set()
            response = pb.PlayResponse()
            for match_id in asked:
                number = sent.get(match_id, (0, 0.0))[0] + 1
                turn = response.turns.add()
                turn.CopyFrom(self._views[number % len(self._views)])
                turn.match_id, turn.turn_number = match_id, number
                turn.turn_ms, turn.bank_ms = 60_000, 60_000
                sent[match_id] = number, time.monotonic()
            await context.write(response)


@asynccontextmanager
async def serving(asking: Asking, socket: Path | None = None) -> AsyncIterator[int]:
    """Serve over a port, which is yielded, and over a socket if one is given."""
    server = grpc.aio.server()
    add_RefereeServiceServicer_to_server(asking, server)
    if socket is not None:
        server.add_insecure_port(f"unix:{socket}")
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield port
    finally:
        await server.stop(None)


@asynccontextmanager
async def program(words: Sequence[str], folder: Path, port: int) -> AsyncIterator[int]:
    """Start a bot in a folder; yield its process id."""
    process = await asyncio.create_subprocess_exec(
        *words,
        cwd=folder,
        env=os.environ | {"ARENA_ADDRESS": f"127.0.0.1:{port}", "ARENA_TOKEN": "measured"},
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield process.pid
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
