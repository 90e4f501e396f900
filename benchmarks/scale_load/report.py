"""The figures as tables, with the targets and whether they were met."""

import os
import re
import statistics
from collections.abc import Sequence
from typing import Final

from benchmarks.scale_load.adoption import FIRST_TURN
from benchmarks.scale_load.beside_bare import ALONE, RATIO
from benchmarks.scale_load.crowd import IDLE_REFEREE, OF_THE_FEW
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
from benchmarks.scale_load.verdicts import Runs, Verdict, at_least, at_most, growth, interval

TARGETS: Final = {
    "port open, s": 3.0,
    "arena leaderboard, s": 2.0,
    "matches --bot, s": 1.0,
    "first page, s": 2.0,
    "later, by a link, s": 0.5,
    "later, loaded again, s": 0.5,
    "dashboard, MB": 400.0,
}
"""With LONG matches of a thousand bots, on a quiet machine of two cores."""
SHORT: Final = 1_000
LONG: Final = 1_000_000
GROWTH: Final = 1.2
"""From SHORT to LONG, the start of processes aside."""
PAIRING_US: Final = 100.0
CROWD_SHARE: Final = 0.8
"""Of the decisions of a few bots at as many running matches."""
BESIDE_BARE: Final = 1.3
"""CPU of a decision in a crowd, relative to a bare server that exchanges the same messages."""
IDLE_MB: Final = 400.0
"""The referee's memory with IDLE_BOTS connected, each over a connection of its own."""
IDLE_BOTS: Final = 10_000
SHARED_OUT_CPU: Final = 1.1
"""Of a decision with two referees that share the matches of one, relative to it."""
SCALING: Final = 0.8
"""Decisions a second of N referees, relative to N times those of one."""
SECOND_JOB: Final = 1.7
"""Matches a second of `arena play` with two processes, where two cores are free."""

ADOPTED: Final = 3.0
"""Seconds from the end of a referee to the first turn of its matches at another."""

_HISTORY: Final = ("referee", "commands", "dashboard", "checkpoints", "recording")


def print_report(found: KeptFigures) -> None:
    """All figures that there are."""
    measured = sorted({name for part in _HISTORY for name in found.named(part)}, key=_numbers)
    for seats in dict.fromkeys(_numbers(name)[0] for name in measured):
        of = [_numbers(name)[1] for name in measured if _numbers(name)[0] == seats]
        _print_history(found, seats, of)
    for bots, runs in found.of("pairing").items():
        told = ", ".join(f"{name} {_told(figures, 0)}" for name, figures in runs.items())
        verdict = _verdict(PAIRING_US, at_most(runs["all"], PAIRING_US))
        print(f"a table among {int(bots):,} bots, µs: {told} {verdict}")
    for connected, runs in found.of("crowd").items():
        told = ", ".join(f"{name} {_told(figures)}" for name, figures in runs.items())
        share = runs.get(f"{OF_THE_FEW}{DECISIONS}")
        verdict = _verdict(CROWD_SHARE, at_least(share, CROWD_SHARE)) if share else ""
        print(f"{connected}: {told} {verdict}")
    for server, runs in found.of("bare").items():
        told = ", ".join(f"{name} {_told(figures)}" for name, figures in runs.items())
        ratios = runs.get(RATIO) if server.startswith(ALONE) else None
        verdict = _verdict(BESIDE_BARE, at_most(ratios, BESIDE_BARE)) if ratios else ""
        print(f"{server}: {told} {verdict}")
    if idle := found.of("idle"):
        told = ", ".join(f"{name} {memory:.0f} MB" for name, memory in idle.items())
        verdict = _verdict(IDLE_MB, at_most([idle[IDLE_REFEREE]], IDLE_MB))
        print(f"{IDLE_BOTS:,} connections: {told} {verdict}")
    _print_referees(found.of("standing-by") | found.of("referees"))
    for how, runs in found.of("adoption").items():
        told = ", ".join(f"{name} {_told(figures)}" for name, figures in runs.items())
        verdict = _verdict(ADOPTED, at_most(runs[FIRST_TURN], ADOPTED))
        print(f"a referee {how}, another goes on: {told} {verdict}")
    if jobs := found.of("jobs"):
        one, two = jobs["1"], jobs["2"]
        ratios = _ratios(two, one)
        verdict = _verdict(SECOND_JOB, at_least(ratios, SECOND_JOB), cores=2)
        print(
            f"arena play: {_told(one, 0)} matches/s with one process, {_told(two, 0)} with two: "
            f"{_told(ratios)} {verdict}"
        )
    if loads := found.loads():
        cores = len(os.sched_getaffinity(0))
        print(f"{cores} cores, at loads of {min(loads):.1f} to {max(loads):.1f}")


def _print_history(found: KeptFigures, seats: int, lengths: Sequence[int]) -> None:
    heads = ["no match" if not matches else f"{matches:,}" for matches in lengths]
    title = f"tables of {seats}; matches:"
    print(f"{title:<27}" + "".join(f"{head:>14}" for head in heads) + "  target           growth")
    of_length: dict[int, Runs] = {matches: {} for matches in lengths}
    for part in _HISTORY:
        for matches in lengths:
            of_length[matches] |= found.of(f"{part}: {seats} seats, {matches} matches")
    names = dict.fromkeys(name for runs in of_length.values() for name in runs)
    for name in names:
        of = {matches: runs[name] for matches, runs in of_length.items() if name in runs}
        cells = [_told(of[matches]) if matches in of else "" for matches in lengths]
        target = ""
        if name in TARGETS and LONG in of:
            target = f"{TARGETS[name]:g} {at_most(of[LONG], TARGETS[name])}"
        shown = "".join(f"{cell:>14}" for cell in cells)
        print(f"{name:<27}{shown}  {target:<14}{_growth(name, of):>17}")


def _growth(name: str, of: dict[int, list[float]]) -> str:
    if SHORT not in of or LONG not in of:
        return ""
    start = [0.0] if name in RECORDED else of.get(0, [0.0])
    factor, verdict = growth(start, of[SHORT], of[LONG], GROWTH)
    told = "–" if factor is None else f"{factor:.1f}"
    return f"{told} {verdict}" if name in {*TARGETS, *RECORDED} else told


def _print_referees(runs: dict[str, Runs]) -> None:
    for load, figures in runs.items():
        told = ", ".join(f"{name} {_told(values, 1)}" for name, values in figures.items())
        print(f"referees: {load}: {told}")
    for what, of in (("may share", with_room), ("share", shared_out)):
        one, two = runs.get(str(of(1))), runs.get(str(of(2)))
        if one and two:
            ratios = _ratios(two[CPU], one[CPU])
            verdict = _verdict(SHARED_OUT_CPU, at_most(ratios, SHARED_OUT_CPU))
            print(f"two that {what} the matches of one take {_told(ratios)} of its CPU {verdict}")
    alone = runs.get(str(as_many_each(1)))
    if alone is None:
        return
    for load, figures in runs.items():
        count = int(load.split(",")[0])
        if count > 1 and load == str(as_many_each(count)):
            shares = [one / count for one in _ratios(figures[DECISIONS], alone[DECISIONS])]
            verdict = _verdict(SCALING, at_least(shares, SCALING), cores=CORES_EACH * count)
            print(f"{count} referees make {_told(shares)} of {count} times as much {verdict}")


def _verdict(target: float, verdict: Verdict, cores: int = 1) -> str:
    enough = len(os.sched_getaffinity(0)) >= cores
    return f"(target {target:g}: {verdict if enough else 'not enough cores'})"


def _ratios(runs: Sequence[float], to: Sequence[float]) -> list[float]:
    return [one / other for one, other in zip(runs, to, strict=True)]


def _told(runs: Sequence[float], digits: int = 2) -> str:
    """The median of some runs, and its interval."""
    median, (least, most) = statistics.median(runs), interval(runs)
    digits = 0 if median >= 100 else digits
    around = f" ({least:,.{digits}f} to {most:,.{digits}f})" if len(runs) > 1 else ""
    return f"{median:,.{digits}f}{around}"


def _numbers(name: str) -> tuple[int, int]:
    """The seats and the matches of a database by its name."""
    seats, matches = map(int, re.findall(r"\d+", name))
    return seats, matches
