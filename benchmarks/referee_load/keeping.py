"""What keeping running matches costs: the referee and one that keeps nothing, loaded in turns."""

import asyncio
import contextlib
import os
import statistics
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from arena.database.embedded import EmbeddedPostgres
from arena.database.schema import migrate
from benchmarks.referee_load.stage import Figures, measure, referee, register, second_database

LOADS = {"one match each": 1, "32 each": 32}
ARMS = {"kept": "arena", "not kept": "benchmarks.referee_load.forgetful"}

Rounds = dict[str, dict[str, list[Figures]]]
"""Figures of each round, by load and arm."""


def compare(bots: int, rounds: int, seconds: float) -> Rounds:
    """Load both referees in turns, each on a database of its own."""
    found: Rounds = {load: {arm: [] for arm in ARMS} for load in LOADS}
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedPostgres(Path(home) / "postgres") as url,
        contextlib.ExitStack() as stack,
    ):
        postmaster = int((Path(home) / "postgres" / "postmaster.pid").read_text().split()[0])
        arms = []
        second = second_database(url, Path(home) / "postgres")
        for (arm, program), own_url in zip(ARMS.items(), (url, second), strict=True):
            migrate(own_url)
            tokens = asyncio.run(register(own_url, bots, "bot"))
            port, process = stack.enter_context(referee(own_url, program))
            arms.append((arm, port, process.pid, tokens))
        for number in range(1, rounds + 1):
            for load, matches in LOADS.items():
                # Each goes first as often as the other.
                for arm, port, pid, tokens in arms[:: (-1) ** number]:
                    before = cpu_seconds(pid), cpu_seconds(postmaster)
                    playing = ("players", "play", port, matches, seconds)
                    figures = measure(*playing, tokens=tokens)
                    decided = figures["per_second"] * seconds
                    for name, now, then in zip(
                        ("referee", "database"),
                        (cpu_seconds(pid), cpu_seconds(postmaster)),
                        before,
                        strict=True,
                    ):
                        figures[f"{name}_cpu_us"] = (now - then) / decided * 1e6
                    found[load][arm].append(figures)
            print(f"round {number} of {rounds} done", file=sys.stderr)
    return found


def print_comparison(found: Rounds) -> None:
    """The medians of both, and the median of the rounds' ratios."""
    for load, arms in found.items():
        for arm, rounds in arms.items():
            print(
                f"{load}, {arm}: {_median(rounds, 'per_second'):.0f} decisions/s; CPU a decision "
                f"{_median(rounds, 'referee_cpu_us'):.0f} µs in the referee, "
                f"{_median(rounds, 'database_cpu_us'):.0f} µs in the database"
            )
        kept, not_kept = arms["kept"], arms["not kept"]
        for name, title in (("per_second", "decisions/s"), ("referee_cpu_us", "referee's CPU")):
            ratios = [one[name] / other[name] for one, other in zip(kept, not_kept, strict=True)]
            print(f"{load}: {title} {statistics.median(ratios):.3f} of those without keeping")


def _median(rounds: list[Figures], name: str) -> float:
    return statistics.median(figures[name] for figures in rounds)


def cpu_seconds(pid: int) -> float:
    """CPU time of a process and of its children, those that have ended included."""
    children = _children()
    total, processes = 0, [pid]
    while processes:
        one = processes.pop()
        processes += children.get(one, [])
        fields = _stat(one)
        if fields is not None:
            total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def _children() -> Mapping[int, list[int]]:
    found: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        fields = _stat(int(entry.name)) if entry.name.isdigit() else None
        if fields is not None:
            found.setdefault(int(fields[1]), []).append(int(entry.name))
    return found


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat from the third on; None for a process that has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
