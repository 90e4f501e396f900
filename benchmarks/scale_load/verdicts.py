"""Whether figures that vary from run to run meet a bar.

A bar is met or missed where the whole interval of the median is on one side of it; where the
interval reaches to both sides, the figures do not tell. The runs are taken to be independent, and
their number to be fixed beforehand.
"""

import math
import statistics
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

from benchmarks.referee_load.stage import Figures

CERTAINTY: Final = 0.95

Runs = dict[str, list[float]]
"""By its name, a figure of each run."""


class Verdict(StrEnum):
    """What the figures say of a bar."""

    MET = "met"
    MISSED = "missed"
    UNDECIDED = "undecided"


def together(runs: Iterable[Figures]) -> Runs:
    """The figures of several runs, by name."""
    found: Runs = {}
    for figures in runs:
        for name, figure in figures.items():
            found.setdefault(name, []).append(figure)
    return found


def interval(runs: Sequence[float]) -> tuple[float, float]:
    """Return an interval that holds the median of a figure with 95 % certainty (sign test).

    Of eight runs or fewer it is from the least to the most of them, which is less certain with
    fewer than six: 75 % with three, 88 % with four.
    """
    ordered, outside = sorted(runs), 0
    while _wrong(len(runs), outside + 1) <= 1 - CERTAINTY:
        outside += 1
    return ordered[outside], ordered[-1 - outside]


def _wrong(runs: int, outside: int) -> float:
    """Return how likely at most `outside` of the runs lie on one side of the median."""
    return sum(math.comb(runs, heads) for heads in range(outside + 1)) / 2.0 ** (runs - 1)


def at_most(runs: Sequence[float], bar: float) -> Verdict:
    """Whether a figure stays within a bar."""
    least, most = interval(runs)
    if most <= bar:
        return Verdict.MET
    return Verdict.MISSED if least > bar else Verdict.UNDECIDED


def at_least(runs: Sequence[float], bar: float) -> Verdict:
    """Whether a figure reaches a bar."""
    least, most = interval(runs)
    if least >= bar:
        return Verdict.MET
    return Verdict.MISSED if most < bar else Verdict.UNDECIDED


def growth(
    start: Sequence[float], short: Sequence[float], long: Sequence[float], most: float
) -> tuple[float | None, Verdict]:
    """How many times as much a long history costs as a short one, without what no history costs
    (`start`), and whether that is at most `most`.

    No factor is told where a short history costs no more than the runs differ by: it would be noise
    over noise. The verdict compares the runs' extremes, so it is undecided within their spread.
    """
    # long - start <= most * (short - start), as the runs may have it.
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
