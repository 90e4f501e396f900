"""Benchmark of scale: what a long history and a large crowd cost, beside the targets.

python -m benchmarks.scale [--bots 1000] [--matches 1000 1000000] [--kept DIRECTORY] [--runs 3]
    [--only commands referee dashboard recording pairing crowd idle referees jobs] [--crowd 2000]
    [--json FILE]

Databases of so many matches (and one without any) are made by SQL, a million in some minutes,
and kept in DIRECTORY for the next time if it is given. Printed for each are the seconds until a
referee's port is open, of commands and of the dashboard's pages, the memory of the processes, and
what Postgres reads and writes to record a match; beside them the growth: the largest database's
figure over the smallest's, of processes both without the figure of the empty database, which is
their start. Then what it costs to choose a table among
many free bots; how many decisions a second are made in a crowd of connected bots, and the CPU of
one, beside a few bots at as many running matches; the memory that connected bots take, beside that
of a bare gRPC server with as many connections; the CPU of a decision with one referee and with two;
and what a second process brings to `arena play`. What misses its target is marked. The machine's
load is printed with the figures.
"""

import argparse
import contextlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from arena.storage.embedded import EmbeddedPostgres
from arena.storage.schema import migrate
from benchmarks.referee_load.stage import Figures
from benchmarks.scale_load.crowd import decisions, idle_memory
from benchmarks.scale_load.filling import fill_database
from benchmarks.scale_load.jobs import matches_a_second
from benchmarks.scale_load.measuring import commands, dashboard, referee_start
from benchmarks.scale_load.pairing import microseconds_a_table
from benchmarks.scale_load.recording import RECORDED, recording
from benchmarks.scale_load.several_referees import cpu_of_decisions

TARGETS: Final = {
    "port open": 3.0,
    "arena leaderboard": 2.0,
    "matches --bot": 1.0,
    "first leaderboard page": 2.0,
    "by a link": 0.5,
    "dashboard MB": 400.0,
}
"""At a million matches of a thousand bots, on a quiet machine of two cores."""
GROWTH: Final = 1.2
PAIRING_US: Final = 100.0
CANDIDATES: Final = (8, 1_000, 10_000)
CROWD_SHARE: Final = 0.8
"""Of the decisions of a few bots at as many running matches."""
IDLE_MB: Final = 400.0
"""The referee's memory with IDLE_BOTS connected, each over a connection of its own."""
IDLE_BOTS: Final = 10_000
REFEREES_CPU: Final = 1.1
"""Of a decision with two referees, relative to one."""
SECOND_JOB: Final = 1.7
"""Matches a second of `arena play` with two processes, where two cores are free."""
WITH_HISTORY: Final = ("commands", "referee", "dashboard", "recording")
PARTS: Final = (*WITH_HISTORY, "pairing", "crowd", "idle", "referees", "jobs")


def main() -> None:
    """Measure and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--bots", type=int, default=1_000)
    parser.add_argument("--matches", type=int, nargs="+", default=[1_000, 1_000_000])
    parser.add_argument("--kept", type=Path, help="where databases are kept for the next time")
    parser.add_argument("--runs", type=int, default=3, help="of each command and page")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--crowd", type=int, default=2_000, help="how many bots")
    parser.add_argument("--json", type=Path, help="write all figures there")
    options = parser.parse_args()
    report: dict[str, Any] = {"load_before": os.getloadavg()[0], "databases": {}}
    if not set(WITH_HISTORY).isdisjoint(options.only):
        for matches in (0, *sorted(options.matches)):
            with _database(options.kept, options.bots, matches) as url:
                report["databases"][matches] = _measure(url, options.runs, options.only)
    if "pairing" in options.only:
        report["pairing_us"] = {bots: microseconds_a_table(bots) for bots in CANDIDATES}
    if "crowd" in options.only:
        report["crowd"] = decisions(options.crowd, options.runs)
    if "idle" in options.only:
        report["idle_mb"] = idle_memory(IDLE_BOTS)
    if "referees" in options.only:
        report["referees"] = cpu_of_decisions(options.runs)
    if "jobs" in options.only:
        report["jobs"] = matches_a_second(options.runs)
    report["load_after"] = os.getloadavg()[0]
    _print(report)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")


@contextlib.contextmanager
def _database(kept: Path | None, bots: int, matches: int) -> Iterator[str]:
    """A database of so many matches, made unless it was kept."""
    with contextlib.ExitStack() as stack:
        if kept is None:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        else:
            home = kept / f"{bots}-{matches}"
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
        url = stack.enter_context(EmbeddedPostgres(home / "postgres"))
        migrate(url)
        done = home / "filled"
        if not done.exists():
            began = time.monotonic()
            fill_database(url, bots, matches)
            print(f"{matches:,} matches made in {time.monotonic() - began:.0f} s", flush=True)
            done.touch()
        yield url


def _measure(url: str, runs: int, parts: list[str]) -> Figures:
    figures: Figures = {}
    if "referee" in parts:
        figures |= referee_start(url)
    if "commands" in parts:
        figures |= commands(url, runs)
    if "dashboard" in parts:
        figures |= dashboard(url, runs)
    if "recording" in parts:
        figures |= recording(url)
    return figures


def _print(report: dict[str, Any]) -> None:
    databases: dict[int, Figures] = report["databases"]
    if databases:
        empty, *sizes = databases
        heads = [f"{matches:,}" for matches in databases]
        print(f"{'matches':<25}" + "".join(f"{head:>12}" for head in heads) + "  target   growth")
        for name in databases[empty]:
            figures = [databases[matches][name] for matches in databases]
            target = TARGETS.get(name)
            beside = "" if target is None else f"{target:g}{'!' if figures[-1] > target else ' '}"
            start = 0.0 if name in RECORDED else figures[0]
            growth = (figures[-1] - start) / max(figures[1] - start, 0.01)
            mark = "!" if len(sizes) > 1 and growth > GROWTH else " "
            shown = "".join(f"{figure:>12.2f}" for figure in figures)
            print(f"{name:<25}{shown}{beside:>8}{growth:>9.1f}{mark}")
    for bots, spent in report.get("pairing_us", {}).items():
        mark = "!" if spent > PAIRING_US else ""
        print(f"a table among {bots:,} bots: {spent:,.0f} µs (target {PAIRING_US:.0f}){mark}")
    for connected, figures in report.get("crowd", {}).items():
        told = ", ".join(f"{name} {figure:,.2f}" for name, figure in figures.items())
        missed = figures.get("of the few's decisions a second", 1.0) < CROWD_SHARE
        print(f"{connected}: {told}{'!' if missed else ''}")
    if idle := report.get("idle_mb"):
        mark = "!" if idle["the referee"] > IDLE_MB else ""
        told = ", ".join(f"{name} {memory:.0f} MB" for name, memory in idle.items())
        print(f"{IDLE_BOTS:,} connections: {told} (target {IDLE_MB:.0f}){mark}")
    referees: dict[int, Figures] = report.get("referees", {})
    for count, of_all in referees.items():
        told = ", ".join(f"{name} {figure:,.1f}" for name, figure in of_all.items())
        print(f"referees {count}: {told}")
    if referees:
        ratio = referees[2]["CPU µs"] / referees[1]["CPU µs"]
        mark = "!" if ratio > REFEREES_CPU else ""
        print(f"two take {ratio:.2f} of the CPU of one (target {REFEREES_CPU}){mark}")
    if jobs := report.get("jobs"):
        mark = "!" if jobs[2] < SECOND_JOB * jobs[1] else ""
        print(
            f"arena play: {jobs[1]:,.0f} matches/s with one process, {jobs[2]:,.0f} with two: "
            f"{jobs[2] / jobs[1]:.2f} (target {SECOND_JOB}){mark}"
        )
    print(f"load {report['load_before']:.1f} before, {report['load_after']:.1f} after")


if __name__ == "__main__":
    main()
