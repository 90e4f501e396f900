"""What a decision costs one referee and several, and how many they make together."""

import asyncio
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Final

from arena.processes import processor_seconds
from arena.server.failover.spreading import FULL
from benchmarks.referee_load.stage import database, measure, referee, register
from benchmarks.rounds import Figures, Runs, alternate

BOTS: Final = 8
MATCHES: Final = 32
"""The matches of each bot at one referee."""
THINKING: Final = 0.004
"""Seconds for a turn: eight bots make 2,000 decisions a second at the most, a sixth of what keeps a
referee busy, and a third on a slow machine."""
SECONDS: Final = 8.0
WARM_UP: Final = 4.0
CORES_EACH: Final = 2
"""The cores for a referee: its own, and one for its bots and its part of Postgres."""

DECISIONS: Final = "decisions a second"
CPU: Final = "CPU µs"
AT_ONE: Final = "% at one"
"""The percentage of the decisions made at the busiest referee: 100 where the others stand by."""


@dataclass(frozen=True, slots=True)
class Load:
    """A number of referees, and the matches of each bot at all of them together."""

    referees: int
    matches: int
    thinking: float = 0.0
    """Seconds for each turn."""

    def __str__(self) -> str:
        bots = "bots that think" if self.thinking else "bots"
        return f"{self.referees}, {bots} with {self.matches} matches each"


def shared_out(referees: int) -> Load:
    """Return a load that would keep one referee busy, shared out."""
    return Load(referees, MATCHES)


def with_room(referees: int) -> Load:
    """Return a load for which one referee has room: the others stand by."""
    return Load(referees, MATCHES, THINKING)


def as_many_each(referees: int) -> Load:
    """Return a load with as many matches at each referee as at one alone."""
    return Load(referees, MATCHES * referees)


def decisions_of(loads: Iterable[Load], rounds: int) -> dict[str, Runs]:
    """Return the figures of each load by round; the loads alternate.

    Figures are decisions a second, the CPU of all referees for one, the decisions that share a
    message, and the percentage of them at the busiest referee.
    """
    found = alternate({load: partial(_measured, load) for load in loads}, rounds)
    return {str(load): runs for load, runs in found.items()}


def _measured(load: Load) -> Figures:
    # A new database: in an old one, bots would get the ends of the previous load again.
    with database() as url:
        return _played(url, asyncio.run(register(url, BOTS, "bot")), load)


def _played(url: str, tokens: list[str], load: Load) -> Figures:
    """Play with a stream from each bot to each referee, as the SDK has it.

    Bots that do not think use all referees from the beginning, as they soon would in any case."""
    spread = str(FULL if load.thinking else 0)
    with ExitStack() as stack:
        at = [
            stack.enter_context(referee(url, ARENA_SPREAD_LOAD=spread))
            for _ in range(load.referees)
        ]

        def play(port: int) -> Figures:
            playing = ("players", "deal", port, load.matches, SECONDS, WARM_UP, load.thinking)
            return measure(*playing, tokens=tokens)

        def spent() -> float:
            return sum(processor_seconds(process.pid) for _, process in at)

        with ThreadPoolExecutor(load.referees) as threads:
            playing = threads.map(play, [port for port, _ in at])
            # Within the time that is counted, whenever the clients' imports are done.
            time.sleep(WARM_UP + 1)
            began, before = time.monotonic(), spent()
            time.sleep(SECONDS - 2)
            cpu = (spent() - before) / (time.monotonic() - began)
            played = list(playing)
    decisions = sum(figures["per_second"] for figures in played)
    return {
        DECISIONS: decisions,
        CPU: 1e6 * cpu / decisions,
        "a message": decisions / sum(map(_messages, played)),
        AT_ONE: 100 * max(figures["per_second"] for figures in played) / decisions,
    }


def _messages(figures: Figures) -> float:
    """Return the messages a second; 0 if no bot plays."""
    decisions = figures["per_second"]
    return decisions / figures["decisions_per_message"] if decisions else 0.0
