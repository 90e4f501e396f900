"""Uploads: many at once beside a running load, and one until its first rated match."""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Final

from benchmarks.hosted_load.programs import GOOD
from benchmarks.hosted_load.stage import hosting_arena
from benchmarks.referee_load.stage import measure
from benchmarks.rounds import Figures, together
from benchmarks.tables import Table
from tests.end_to_end.programs import program
from tests.free_port import free_port

OWNERS: Final = 60
"""The owners of the uploads: each may have five hosted bots."""
PLACES: Final = 4
"""Matches at once of each bot of the load."""
IDLE_SECONDS: Final = 5.0
"""The idle time before each upload."""
STEPS: Final = {
    "Uploaded": "uploaded",
    "Checking": "the check began",
    "Accepted": "accepted",
    "It has played": "first rated match",
}
"""The steps of an upload, by the first words of the line that `arena submit` prints."""


async def print_rush(uploads: int, seconds: float) -> None:
    """Print the outcome of uploads within `seconds`, and how a pair of bots plays meanwhile."""
    async with hosting_arena() as stage:
        tokens = [await stage.token(bot) for bot in ("one", "two")]
        keys = [(await stage.owner(f"owner {number}"))[1] for number in range(OWNERS)]
        port = stage.arena.port
        before = await _load(port, tokens, seconds / 3)
        uploading = asyncio.create_task(
            asyncio.to_thread(measure, "uploading", port, uploads, seconds, tokens=keys)
        )
        during = await _load(port, tokens, seconds - 5)
        uploaded = await uploading
        quiet = together([before, await _load(port, tokens, seconds / 3)])
        stored = len(await stage.arena.store.bots()) - len(tokens)
    decisions = {
        "decisions beside, 99th percentile, ×": during["p99_us"] / fmean(quiet["p99_us"]),
        "their speed, ×": during["per_second"] / fmean(quiet["per_second"]),
    }
    Table().add(uploaded, {"wait for their check": stored}, decisions)


async def _load(port: int, tokens: Sequence[str], seconds: float) -> Figures:
    playing = ("players", "play", port, PLACES, seconds - 4, 3)
    return await asyncio.to_thread(measure, *playing, tokens=tokens)


def print_first_matches(count: int) -> None:
    """Print how long after `arena submit` was started each step was."""
    table = Table()
    for step, times in together(_first_matches(count)).items():
        table.add({"after": STEPS[step], "median, s": median(times), "longest, s": max(times)})


def _first_matches(count: int) -> Iterator[Figures]:
    """Upload bots one after the other to an `arena up` whose sample bots rest."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
        home = Path(name)
        home.chmod(0o711)
        port = free_port()
        with program(home / "arena", "up", "--no-dashboard", "--port", str(port)) as up:
            # Sample bots play their first matches at full speed, then one every two seconds.
            while not re.search(r"^([6-9]|\d\d+)\d\d matches recorded", up.said, re.MULTILINE):
                time.sleep(0.1)
            author = os.environ | {
                "ARENA_HOME": str(home / "author"),
                "ARENA_ADDRESS": f"127.0.0.1:{port}",
                "PYTHONUNBUFFERED": "1",
            }

            def arena(*words: str) -> None:
                command = [sys.executable, "-m", "arena", *words]
                subprocess.run(command, env=author, check=True, capture_output=True)

            arena("signup", "Ann")
            time.sleep(IDLE_SECONDS)
            for number in range(count):
                file = home / f"bot{number}.py"
                file.write_text(f"# {number}\n{GOOD}")
                yield _submit(file, author)
                # The arena must be idle for the next one.
                arena("bot", "retire", file.stem)
                time.sleep(IDLE_SECONDS)
            up.stop()


def _submit(file: Path, environment: dict[str, str]) -> Figures:
    began = time.monotonic()
    times: Figures = {}
    words = [sys.executable, "-m", "arena", "submit", str(file)]
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True) as command:
        assert command.stderr is not None
        for line in command.stderr:
            for step in filter(line.startswith, STEPS):
                times.setdefault(step, time.monotonic() - began)
    if command.returncode:
        raise SystemExit(f"arena submit ended with code {command.returncode}")
    times.setdefault("Checking", times["Uploaded"])  # it may not see how the check begins
    return {step: times[step] for step in STEPS}
