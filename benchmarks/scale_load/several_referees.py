"""What a decision costs one referee, and two that share its bots and their matches."""

import asyncio
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from arena.storage.embedded import EmbeddedPostgres
from arena.storage.schema import migrate
from benchmarks.referee_load.keeping import cpu_seconds
from benchmarks.referee_load.stage import Figures, measure, referee, register

BOTS: Final = 8
MATCHES: Final = 32
"""Of each bot, at all referees together."""
SECONDS: Final = 8.0
WARM_UP: Final = 4.0


def cpu_of_decisions(rounds: int) -> dict[int, Figures]:
    """By the number of referees, in turns: medians of the decisions a second, of the CPU of all
    referees for one, and of those that share a message."""
    found: dict[int, list[Figures]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as home, EmbeddedPostgres(Path(home) / "postgres") as url:
        migrate(url)
        tokens = asyncio.run(register(url, BOTS, "bot"))
        for _ in range(rounds):
            for referees, figures in found.items():
                figures.append(_played(url, tokens, referees))
    return {
        referees: {name: statistics.median(one[name] for one in figures) for name in figures[0]}
        for referees, figures in found.items()
    }


def _played(url: str, tokens: list[str], referees: int) -> Figures:
    """All bots have a stream to each referee, as the SDK would give them."""
    with ExitStack() as stack:
        at = [stack.enter_context(referee(url)) for _ in range(referees)]

        def play(port: int) -> Figures:
            shared = MATCHES // referees
            return measure("players", "play", port, shared, SECONDS, WARM_UP, tokens=tokens)

        def spent() -> float:
            return sum(cpu_seconds(process.pid) for _, process in at)

        with ThreadPoolExecutor() as threads:
            playing = threads.map(play, [port for port, _ in at])
            # Within the time that is counted, whenever the clients' imports are done.
            time.sleep(WARM_UP + 1)
            began, before = time.monotonic(), spent()
            time.sleep(SECONDS - 2)
            cpu = (spent() - before) / (time.monotonic() - began)
            played = list(playing)
    decisions = sum(figures["per_second"] for figures in played)
    return {
        "decisions a second": decisions,
        "CPU µs": 1e6 * cpu / decisions,
        "a message": statistics.mean(figures["decisions_per_message"] for figures in played),
    }
