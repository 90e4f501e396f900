"""Time budgets of the tiers of tests: if CI runs all tests, a tier over its budget fails the run.

A tier's time counts its tests as run side by side, and those that run alone one after the other. A
minute is a minute's work of a fast core, as machines differ by half, and a virtual one also by what
its host keeps for others. On a faster core it is a real minute: the budgets are promises in
minutes, and what tests wait for takes as long there.
"""

import os
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, median
from typing import Final

import pytest

CORES: Final = 2
MINUTES: Final = {"not slow": 2.0, "not system": 10.0, "all": 25.0}
"""The budget of each tier, by the value of pytest's -m: the quick tests, `make test`, and all."""
SLACK: Final = 1.75
"""The multiple of a budget above which CI fails: in a run of all tests they share cores with
programs of slow ones, the machine's speed is only estimated, and a test that waits for a limit
takes as long on a fast core."""
_LOOPS: Final = 74_000_000
"""Iterations of an empty loop that a fast core does in a second."""
_REPORTS_A_LOOK: Final = 100


class Spent:
    """The time that tests took, by tier."""

    def __init__(
        self,
        speed: Callable[[], float] | None = None,
        times: Callable[[], tuple[float, float]] | None = None,
        together: Callable[[], float] | None = None,
        *,
        a_core: float = 1.0,
    ) -> None:
        """Begin to count.

        Args:
            speed: Returns the speed of a core here relative to a fast core; called often.
            times: Returns how long the cores worked and were kept by the host, in any unit.
            together: Returns the same with all cores at work; called at the start and the end.
            a_core: The number of tests that run side by side on each core.
        """
        self._speed = speed or core_speed
        self._times = times or core_times
        self._began = self._times()
        self._together = together or together_speed
        self._at_rest = self._together()
        self._a_core = a_core
        self._speeds = [self._speed()]
        self._seconds: Counter[str] = Counter()
        self._reports = 0

    def add(self, report: pytest.TestReport) -> None:
        """Count a phase of a test."""
        self._reports += 1
        if self._reports % _REPORTS_A_LOOK == 0:
            self._speeds.append(self._speed())
        cores = CORES if "alone" in report.keywords else 1 / self._a_core
        for tier in MINUTES:
            if tier == "all" or tier.removeprefix("not ") not in report.keywords:
                self._seconds[tier] += report.duration * cores

    def summary(self) -> tuple[list[str], bool]:
        """Return a line for each tier, and whether all are within their budgets and the slack."""
        worked, kept = (now - then for now, then in zip(self._times(), self._began, strict=True))
        given = worked / (worked + kept) if worked else 1.0
        at_rest = fmean((self._at_rest, self._together()))
        measured = min(median(self._speeds) * given, at_rest)
        speed = min(1.0, measured)
        lines, within = [], True
        for tier, most in MINUTES.items():
            spent = self._seconds[tier] * speed / CORES / 60
            within = within and spent <= most * SLACK
            mark = "" if spent <= most else ", over" if spent <= most * SLACK else ", TOO LONG"
            lines.append(f"{tier}: {spent:.1f} of {most:g} minutes{mark}")
        lines.append(
            f"Minutes of {CORES} fast cores; one here does {measured:.2f} of its work, "
            f"and is given {given:.0%} of the time that it asks for."
        )
        return lines, within


def core_speed() -> float:
    """Return the speed of this core relative to a fast one, by a loop of some milliseconds."""
    turns = _LOOPS // 200
    began = time.thread_time()  # not the time in which others have the core
    for _ in range(turns):
        pass
    return turns / (time.thread_time() - began) / _LOOPS


def together_speed() -> float:
    """Return the mean speed of a core, relative to a fast one, while all work, by wall time.

    What a host keeps is not always reported, and two virtual cores may share a real one.
    """
    cores = os.cpu_count() or 1
    with ProcessPoolExecutor(cores, get_context("spawn")) as pool:
        return fmean(pool.map(_wall_speed, range(cores)))


def _wall_speed(_: int) -> float:
    began = time.perf_counter()
    for _ in range(_LOOPS // 2):
        pass
    return 0.5 / (time.perf_counter() - began)


def core_times() -> tuple[float, float]:
    """Return how long the cores have worked, and how long the host kept them, in ticks.

    The first line of Linux' /proc/stat (proc(5)); where there is none, nothing was kept.
    """
    try:
        ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    except OSError:
        return 0.0, 0.0
    user, nice, system, _, _, interrupts, soft_interrupts, stolen = ticks[:8]
    return user + nice + system + interrupts + soft_interrupts, stolen
