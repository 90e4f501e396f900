"""Tables of figures: printed as Markdown, row by row, and written to a file as JSON."""

import json
import math
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, cast

from benchmarks.rounds import interval


class Estimate(NamedTuple):
    """A figure and an interval around it."""

    value: float
    low: float
    high: float


def told(value: object) -> str:
    """Return a figure as text.

    A float has three significant digits or more, an estimate has two digits of its error, a list
    holds a figure of each run and is shown as its median and `interval`.
    """
    match value:
        case None:
            return "–"
        case Estimate():
            error = (value.high - value.low) / 2
            digits = _digits(error, 2) if error else _digits(value.value, 3)
            middle, low, high = (f"{one:,.{digits}f}" for one in value)
            return f"{middle} ({low} to {high})" if error else middle
        case list():
            runs = cast("list[float]", value)
            return told(Estimate(statistics.median(runs), *interval(runs)))
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:,.{_digits(value, 3)}f}"
        case int():
            return f"{value:,}"
    return str(value)


def _digits(value: float, significant: int) -> int:
    """Return the decimal places that a number needs for a number of significant digits."""
    if not value or not math.isfinite(value):
        return 0
    return max(0, significant - 1 - math.floor(math.log10(abs(value))))


class Table:
    """The rows of a report: values that `told` understands, by the names of the columns."""

    def __init__(self) -> None:
        self._rows: list[Mapping[str, object]] = []

    def add(self, *parts: Mapping[str, object]) -> None:
        """Print a row, below a new head if its columns differ from those of the previous row."""
        row = {name: cell for part in parts for name, cell in part.items()}
        if not self._rows or [*self._rows[-1]] != [*row]:
            print(f"\n| {' | '.join(row)} |\n|{' --- |' * len(row)}")
        print(f"| {' | '.join(map(told, row.values()))} |", flush=True)
        self._rows.append(row)

    def write(self, path: Path | None) -> None:
        """Write all rows to a file, if there is one."""
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(self._rows, indent=2) + "\n")
