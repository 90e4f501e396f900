"""Whether figures that vary from run to run meet a target.

A target is met or missed where the whole interval of the median is on one side of it; where the
interval reaches to both sides, the figures do not tell. The runs are taken to be independent, and
their number to be fixed beforehand.
"""

import os
import statistics
from collections.abc import Sequence
from enum import StrEnum

from benchmarks.rounds import interval


class Verdict(StrEnum):
    """What the figures say of a target."""

    MET = "met"
    MISSED = "missed"
    UNDECIDED = "undecided"


def at_most(runs: Sequence[float], target: float) -> Verdict:
    """Return whether a figure stays within a target."""
    least, most = interval(runs)
    if most <= target:
        return Verdict.MET
    return Verdict.MISSED if least > target else Verdict.UNDECIDED


def at_least(runs: Sequence[float], target: float) -> Verdict:
    """Return whether a figure reaches a target."""
    return at_most([-one for one in runs], -target)


def upper(target: float, runs: Sequence[float]) -> str:
    """Return a target that must not be exceeded, and whether it was met."""
    return f"{target:g}, {at_most(runs, target)}"


def lower(target: float, runs: Sequence[float], cores: int = 1) -> str:
    """Return a target that must be reached with that many cores, and whether it was met."""
    enough = len(os.sched_getaffinity(0)) >= cores
    return f"{target:g}, {at_least(runs, target) if enough else 'not enough cores'}"


def growth(
    start: Sequence[float], short: Sequence[float], long: Sequence[float], most: float
) -> tuple[float | None, Verdict]:
    """How many times as much a long history costs as a short one, without what no history costs
    (`start`), and whether that is at most `most`.

    The factor is None if a short history costs no more than the spread of the runs: it would be
    noise over noise. The verdict compares the runs' extremes, so it is undecided within the spread.
    """
    # long - start <= most * (short - start), at the extremes of the runs.
    beyond_most = max(long) - most * min(short) + (most - 1) * max(start)
    beyond_least = min(long) - most * max(short) + (most - 1) * min(start)
    verdict = Verdict.UNDECIDED
    if beyond_most <= 0:
        verdict = Verdict.MET
    elif beyond_least > 0:
        verdict = Verdict.MISSED
    by = statistics.median(short) - statistics.median(start)
    if min(short) <= max(start) or by <= max(short) - min(short):
        return None, verdict
    return (statistics.median(long) - statistics.median(start)) / by, verdict
