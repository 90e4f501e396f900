"""The figures as tables, with the targets and whether they were met."""

import os
import re
from collections.abc import Sequence
from typing import Final

from benchmarks.rounds import Runs, ratios
from benchmarks.scale_load.adoption import FIRST_TURN
from benchmarks.scale_load.crowd import ALONE, IDLE_REFEREE, OF_THE_FEW, RATIO
from benchmarks.scale_load.figures import KeptFigures
from benchmarks.scale_load.recording import RECORDED
from benchmarks.scale_load.several_referees import (
    CORES_EACH,
    CPU,
    DECISIONS,
    as_many_each,
    shared_out,
    with_room,
)
from benchmarks.tables import Table, told
from benchmarks.verdicts import growth, lower, upper

TARGETS: Final = {
    "port open, s": 3.0,
    "arena leaderboard, s": 2.0,
    "matches --bot, s": 1.0,
    "first page, s": 2.0,
    "later, by a link, s": 0.5,
    "later, loaded again, s": 0.5,
    "dashboard, MB": 400.0,
}
"""Upper limits with LONG matches of a thousand bots, on a quiet machine of two cores."""
SHORT: Final = 1_000
LONG: Final = 1_000_000
GROWTH: Final = 1.2
"""The most growth from SHORT to LONG, without the start of processes."""
PAIRING_US: Final = 100.0
CROWD_SHARE: Final = 0.8
"""The least share that a crowd makes of the decisions of a few bots with as many matches."""
BESIDE_BARE: Final = 1.3
"""CPU of a decision in a crowd, relative to a bare server that exchanges the same messages."""
IDLE_MB: Final = 400.0
"""The referee's memory with IDLE_BOTS connected, each over a connection of its own."""
IDLE_BOTS: Final = 10_000
SHARED_OUT_CPU: Final = 1.1
"""The most CPU of a decision with two referees that share the matches of one, relative to one."""
SCALING: Final = 0.8
"""Decisions a second of N referees, relative to N times those of one."""
SECOND_JOB: Final = 1.7
"""Matches a second of `arena play` with two processes, where two cores are free."""
ADOPTED: Final = 3.0
"""Seconds from the end of a referee to the first turn of its matches at another."""
_HISTORY: Final = ("referee", "commands", "dashboard", "checkpoints", "recording")


def print_report(found: KeptFigures) -> None:
    """Print all figures that there are."""
    table = Table()
    measured = sorted({name for part in _HISTORY for name in found.named(part)}, key=_numbers)
    for seats in dict.fromkeys(_numbers(name)[0] for name in measured):
        _add_history(table, found, seats, [at for of, at in map(_numbers, measured) if of == seats])
    for bots, runs in found.of("pairing").items():
        target = upper(PAIRING_US, runs["all, µs"])
        table.add({"a table among bots": bots}, runs, {"target": target})
    for connected, runs in found.of("crowd").items():
        shares = runs[f"{OF_THE_FEW}{DECISIONS}"]
        target = "" if set(shares) == {1.0} else lower(CROWD_SHARE, shares)
        table.add({"connected": connected}, runs, {"target": target})
    for server, runs in found.of("bare").items():
        judged = server.startswith(ALONE) and set(runs[RATIO]) != {1.0}
        target = upper(BESIDE_BARE, runs[RATIO]) if judged else ""
        table.add({"server": server}, runs, {"target": target})
    if idle := found.of("idle"):
        target = upper(IDLE_MB, [idle[IDLE_REFEREE]])
        table.add({"connected bots, MB": IDLE_BOTS}, idle, {"target": target})
    _add_referees(table, found.of("standing-by") | found.of("referees"))
    for how, runs in found.of("adoption").items():
        row = {"a referee goes": how} | runs
        table.add(row, {"target": upper(ADOPTED, runs[FIRST_TURN])})
    if jobs := found.of("jobs"):
        one, two = (jobs[count]["matches a second"] for count in ("1", "2"))
        row = {"arena play, matches/s": one, "with two processes": two, "ratio": ratios(two, one)}
        table.add(row, {"target": lower(SECOND_JOB, ratios(two, one), cores=2)})
    if loads := found.loads():
        cores = len(os.sched_getaffinity(0))
        print(f"\n{cores} cores, at loads of {min(loads):.1f} to {max(loads):.1f}")


def _add_history(table: Table, found: KeptFigures, seats: int, lengths: Sequence[int]) -> None:
    of_length: dict[int, Runs] = {matches: {} for matches in lengths}
    for part in _HISTORY:
        for matches in lengths:
            of_length[matches] |= found.of(f"{part}: {seats} seats, {matches} matches")
    for name in dict.fromkeys(name for runs in of_length.values() for name in runs):
        of = {matches: runs[name] for matches, runs in of_length.items() if name in runs}
        judged = name in TARGETS and LONG in of
        table.add(
            {f"tables of {seats}; matches:": name},
            {f"{matches:,}": of.get(matches, "") for matches in lengths},
            {"target": upper(TARGETS[name], of[LONG]) if judged else ""},
            {f"growth, target {GROWTH:g}": _growth(name, of)},
        )


def _growth(name: str, of: dict[int, list[float]]) -> str:
    if SHORT not in of or LONG not in of:
        return ""
    start = [0.0] if name in RECORDED else of.get(0, [0.0])
    factor, verdict = growth(start, of[SHORT], of[LONG], GROWTH)
    return f"{told(factor)} {verdict if name in {*TARGETS, *RECORDED} else ''}"


def _add_referees(table: Table, runs: dict[str, Runs]) -> None:
    for load, figures in runs.items():
        table.add({"referees": load}, figures)
    for what, of in (("may share", with_room), ("share", shared_out)):
        one, two = runs.get(str(of(1))), runs.get(str(of(2)))
        if one and two:
            relative = ratios(two[CPU], one[CPU])
            row = {"two that": f"{what} the matches of one", "CPU to one": relative}
            table.add(row, {"target": upper(SHARED_OUT_CPU, relative)})
    alone = runs.get(str(as_many_each(1)))
    for load, figures in runs.items() if alone else ():
        count = int(load.split(",")[0])
        if alone and count > 1 and load == str(as_many_each(count)):
            shares = [one / count for one in ratios(figures[DECISIONS], alone[DECISIONS])]
            decisions = {"referees": str(count), "decisions, to as many times those of one": shares}
            table.add(decisions, {"target": lower(SCALING, shares, cores=CORES_EACH * count)})


def _numbers(name: str) -> tuple[int, int]:
    """The seats and the matches of a database by its name."""
    seats, matches = map(int, re.findall(r"\d+", name))
    return seats, matches
