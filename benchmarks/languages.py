"""How fast the starters of all languages answer: python -m benchmarks.languages [LANGUAGE …]

A referee of its own asks each starter the recorded turns of Bluff (sample_bots/vectors), with one
match and with 32 at once, each match always having one open turn. Printed per starter: decisions a
second, also as a ratio to the Python starter in the same run, the median time from a turn sent to
its answer received, CPU time of the starter for a decision, its resident memory, and the time from
its start to its first answer.

Then `arena play` with two of the compiled starters takes turns with the load of
`benchmarks.referee` on a referee with a database: decisions a second of both, and their ratio.

The starters must be built; one that is not is left out. All languages take about four minutes.
"""

import asyncio
import json
import os
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.json_format import ParseDict

from arena.processes import processor_seconds
from arena.v1 import referee_pb2 as pb
from arena.v1.referee_pb2_grpc import RefereeServiceServicer, add_RefereeServiceServicer_to_server
from benchmarks.memory import resident_mb
from benchmarks.options import parser_of
from benchmarks.referee import MANY_MATCHES, STREAMS
from benchmarks.referee_load.stage import arena, database, referee, register
from benchmarks.referee_load.stage import measure as load_figures

SAMPLE_BOTS = Path(__file__).parents[1] / "sample_bots"
PYTHON = SAMPLE_BOTS / "python/arena_sample_bots/starters/python"


@dataclass(frozen=True, slots=True)
class Starter:
    """A starter of a language."""

    folder: Path
    command: str
    made: str
    """What is there once it is built, in its folder."""


STARTERS = {
    "python": Starter(PYTHON, f"{shlex.quote(sys.executable)} bot.py", "bot.py"),
    "javascript": Starter(SAMPLE_BOTS / "javascript", "node main.js", "node_modules"),
    "typescript": Starter(SAMPLE_BOTS / "typescript", "node dist/main.js", "dist/main.js"),
    "java": Starter(SAMPLE_BOTS / "java", "java -jar target/bot.jar", "target/bot.jar"),
    "go": Starter(SAMPLE_BOTS / "go", "./bot", "bot"),
    "rust": Starter(SAMPLE_BOTS / "rust", "target/release/arena-bot", "target/release/arena-bot"),
    "cpp": Starter(SAMPLE_BOTS / "cpp", "build/bot", "build/bot"),
}
START_SECONDS = 60.0
WARM_UP_SECONDS = 3.0
SECONDS = 6.0
MATCHES = (1, 32)
COMPILED = ("go", "rust", "cpp")
"""The first two of these that are built play at home."""
ROUNDS = 3
HOME_MATCHES = 3_000
COUNTED_MATCHES = 500
"""Of which the decisions are counted."""


@dataclass
class Measured:
    """One starter with one number of matches."""

    first_answer: float = 0.0
    """The time of the first answer, by time.monotonic()."""
    answers: int = 0
    times: list[float] = field(default_factory=list)
    """Seconds from a turn to its answer."""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    resident_mb: float = 0.0


class Asking(RefereeServiceServicer):
    """Asks one bot turn after turn."""

    def __init__(self, matches: int) -> None:
        lines = (SAMPLE_BOTS / "vectors/turns_bluff.jsonl").read_text().splitlines()
        vector = json.loads(lines[0])
        self._views = [
            pb.Turn(view=ParseDict(one["view"], pb.Turn().view)) for one in vector["turns"]
        ]
        self._offer = ParseDict({"options": vector["options"], "entrants": [{}, {}]}, pb.Offer())
        self._matches = matches
        self.measured = Measured()
        self.answered = asyncio.Event()

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
                self.measured.times.append(now - when)
                asked.append(answer.match_id)
            if request.answers:
                self.measured.answers += len(request.answers)
                self.measured.first_answer = self.measured.first_answer or now
                self.answered.set()
            response = pb.PlayResponse()
            for match_id in asked:
                number = sent.get(match_id, (0, 0.0))[0] + 1
                turn = response.turns.add()
                turn.CopyFrom(self._views[number % len(self._views)])
                turn.match_id, turn.turn_number = match_id, number
                turn.turn_ms, turn.bank_ms = 60_000, 60_000
                sent[match_id] = number, time.monotonic()
            await context.write(response)


async def measure(language: str, matches: int) -> Measured:
    """Start the starter, let it warm up, and measure it."""
    asking = Asking(matches)
    server = grpc.aio.server()
    add_RefereeServiceServicer_to_server(asking, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    starter = STARTERS[language]
    begun = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *shlex.split(starter.command),
        cwd=starter.folder,
        env=os.environ | {"ARENA_ADDRESS": f"127.0.0.1:{port}", "ARENA_TOKEN": "measured"},
        stderr=asyncio.subprocess.DEVNULL,
    )
    measured = asking.measured
    try:
        await _first_answer(language, asking, process)
        measured.first_answer -= begun
        await asyncio.sleep(WARM_UP_SECONDS)
        measured.times.clear()
        answers, cpu, start = measured.answers, processor_seconds(process.pid), time.monotonic()
        await asyncio.sleep(SECONDS)
        measured.seconds = time.monotonic() - start
        measured.answers -= answers
        measured.cpu_seconds = processor_seconds(process.pid) - cpu
        measured.resident_mb = resident_mb(process.pid)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await server.stop(None)
    return measured


async def _first_answer(language: str, asking: Asking, process: asyncio.subprocess.Process) -> None:
    """Wait for the first answer. Ends the benchmark with a sentence if none comes."""
    both = [asyncio.create_task(asking.answered.wait()), asyncio.create_task(process.wait())]
    await asyncio.wait(both, timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    for one in both:
        one.cancel()
    if process.returncode is not None:
        sys.exit(f"{language}: it ended with code {process.returncode} before its first answer.")
    if not asking.answered.is_set():
        sys.exit(f"{language}: no answer after {START_SECONDS:.0f} s.")


def at_home(bots: Sequence[str]) -> None:
    """Compare `arena play` with the load of the referee's benchmark."""
    with database() as url, tempfile.TemporaryDirectory() as folder:
        tokens = asyncio.run(register(url, STREAMS, "bot"))
        transcripts = Path(folder, "transcripts")
        _play(bots, COUNTED_MATCHES, "--transcripts", str(transcripts))
        with transcripts.open() as lines:
            decisions = sum(map(_decisions, lines)) / COUNTED_MATCHES
        home, served = [], []
        with referee(url) as (port, _):
            for _ in range(ROUNDS):
                home.append(_play(bots, HOME_MATCHES) * decisions)
                load = ("players", "play", port, MANY_MATCHES, SECONDS)
                served.append(load_figures(*load, tokens=tokens)["per_second"])
    here, there = statistics.median(home), statistics.median(served)
    print(
        f"\narena play, {' against '.join(bots)}: {here:,.0f} decisions/s, {here / there:.2f} of "
        f"the {there:,.0f} of a referee with a database and {STREAMS} bots"
    )


def _play(bots: Sequence[str], matches: int, *more: str) -> float:
    """Matches a second of Bluff among starters."""
    commands = [str(STARTERS[bot].folder / STARTERS[bot].command) for bot in bots]
    said = arena("play", *commands, "-n", matches, "--json", *more)
    rate: float = json.loads(said)["matches_per_second"]
    return rate


def _decisions(transcript: str) -> int:
    steps = json.loads(transcript)["steps"]
    return sum(step["actor"] != "dealer" for step in steps)


def built(language: str) -> bool:
    """Whether a starter can be run."""
    starter = STARTERS[language]
    return (starter.folder / starter.made).exists()


async def main(languages: Sequence[str]) -> None:
    print(
        "| starter | matches | decisions/s | to Python | median answer | CPU for a decision "
        "| memory | first answer |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    python: dict[int, float] = {}
    for language in dict.fromkeys(["python", *languages]):
        if not built(language):
            print(f"{language} is not built: left out", file=sys.stderr)
            continue
        for matches in MATCHES:
            one = await measure(language, matches)
            rate = one.answers / one.seconds
            python.setdefault(matches, rate)
            print(
                f"| {language} | {matches} | {rate:,.0f} | {rate / python[matches]:.1f} "
                f"| {statistics.median(one.times) * 1000:.2f} ms "
                f"| {one.cpu_seconds / one.answers * 1e6:.0f} µs "
                f"| {one.resident_mb:.0f} MB | {one.first_answer:.2f} s |",
                flush=True,
            )


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=", ".join(STARTERS))
    chosen = parser.parse_args().languages or list(STARTERS)
    if unknown := set(chosen) - set(STARTERS):
        parser.error(f"no starter in {', '.join(sorted(unknown))}: there is {', '.join(STARTERS)}")
    asyncio.run(main(chosen))
    compiled = [one for one in COMPILED if one in chosen and built(one)][:2]
    if len(compiled) == 2:
        at_home(compiled)
