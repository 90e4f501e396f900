"""Figures that are measured in rounds, in which all arms of a comparison take turns."""

import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeVar

from scipy.stats import binom

CERTAINTY: Final = 0.95

Figures = dict[str, float]
Runs = dict[str, list[float]]
"""The figures of all rounds, by name."""
Arm = TypeVar("Arm")
Found = TypeVar("Found")


def alternate(arms: Mapping[Arm, Callable[[], Figures]], rounds: int) -> dict[Arm, Runs]:
    """Measure each arm once a round; return the figures by arm."""
    return {arm: together(figures) for arm, figures in in_turns(arms, rounds).items()}


def in_turns(arms: Mapping[Arm, Callable[[], Found]], rounds: int) -> dict[Arm, list[Found]]:
    """Call each arm once a round; return its results by round."""
    found: dict[Arm, list[Found]] = {arm: [] for arm in arms}
    for number in range(1, rounds + 1):
        for arm, measure in arms.items():
            found[arm].append(measure())
        print(f"round {number} of {rounds} done", file=sys.stderr)
    return found


def together(runs: Iterable[Figures]) -> Runs:
    """Return the figures of several runs by name."""
    found: Runs = {}
    for figures in runs:
        for name, figure in figures.items():
            found.setdefault(name, []).append(figure)
    return found


def ratios(runs: Sequence[float], to: Sequence[float]) -> list[float]:
    """Return the figures of one arm relative to those of another in the same rounds."""
    return [one / other for one, other in zip(runs, to, strict=True)]


def interval(runs: Sequence[float]) -> tuple[float, float]:
    """Return an interval that holds the median of a figure with 95 % certainty (sign test).

    With eight runs or fewer it is their range, whose certainty is lower below six runs: 75 % with
    three, 88 % with four.
    """
    outside = max(0, int(binom.ppf((1 - CERTAINTY) / 2, len(runs), 0.5)) - 1)
    ordered = sorted(runs)
    return ordered[outside], ordered[-1 - outside]


def median_ms(work: Callable[[], object], runs: int) -> float:
    """Return the median processor time of some work in milliseconds."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        work()
        times.append(1000 * (time.process_time() - began))
    return statistics.median(times)
