"""A referee with a crowd of bots that play, each by a stream of its own, beside one with a few."""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from threading import Thread
from typing import Final

from arena.referee.session import MAX_MATCHES
from arena.storage.embedded import EmbeddedPostgres
from arena.storage.schema import migrate
from benchmarks.referee_load.keeping import cpu_seconds
from benchmarks.referee_load.stage import Figures, measure, referee, register, resident_mb

FEW: Final = 8
SECONDS: Final = 8.0
WARM_UP: Final = 25.0
"""Until all of a crowd are connected, and have found each other."""


def decisions(crowd: int, rounds: int) -> dict[str, Figures]:
    """Medians over the rounds, in turns: decisions a second, the referee's CPU for one, decisions
    that share a message, and its memory. Of a crowd with a match each; of a few bots with as many
    matches as one may play; and of so few with a match each, whose turns share no message either.
    """
    found: dict[str, list[Figures]] = {}
    with tempfile.TemporaryDirectory() as home, EmbeddedPostgres(Path(home) / "postgres") as url:
        migrate(url)
        few = asyncio.run(register(url, FEW, "few"))
        many = asyncio.run(register(url, crowd, "many"))
        arms = {
            f"{FEW} bots, {MAX_MATCHES} matches each": (few, MAX_MATCHES),
            f"{FEW} bots, a match each": (few, 1),
            f"{crowd:,} bots, a match each": (many, 1),
        }
        for _ in range(rounds):
            for name, (tokens, matches) in arms.items():
                found.setdefault(name, []).append(_played(url, tokens, matches))
    return {
        name: {figure: statistics.median(one[figure] for one in figures) for figure in figures[0]}
        for name, figures in found.items()
    }


def _played(url: str, tokens: list[str], matches: int) -> Figures:
    with referee(url) as (port, process):
        spent: list[float] = []

        def watch() -> None:
            for seconds in (WARM_UP, SECONDS):
                time.sleep(seconds)
                spent.append(cpu_seconds(process.pid))

        watching = Thread(target=watch)
        watching.start()
        playing = ("players", "play", port, matches, SECONDS, WARM_UP)
        figures = measure(*playing, tokens=tokens)
        watching.join()
        cpu = 1e6 * (spent[1] - spent[0]) / max(1.0, figures["per_second"] * SECONDS)
        return {
            "decisions a second": figures["per_second"],
            "CPU µs": cpu,
            "a message": figures["decisions_per_message"],
            "MB": resident_mb(process.pid),
        }
