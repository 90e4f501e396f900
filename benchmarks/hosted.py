"""Benchmark of hosted bots: python -m benchmarks.hosted [PART …]

cost         the same bot in the sandbox and unconfined: CPU and time of a decision
shifts       how much of a slot's time is lost between two shifts
sharing      how evenly many bots (`--bots`) share eight slots
nuisances    matches a second of a pair of hosted bots beside each nuisance, or those of `--only`
uploads      300 uploads in a minute beside a running load
first-match  from `arena submit` to the first rated match
freeze       how long after its date 1,000 entries of an event are frozen
final        matches a minute of the final of an event, with one slot and with two
similar      how long `arena event similar` takes for 20 builds, and each part of it

Each part starts what it needs, takes one to five minutes and prints medians and ratios; all of them
are run without a PART. `--seconds` is the length of a measurement of costs and nuisances,
`--rounds` the number of those of costs, sharing, first-match and freeze. Run it on a quiet machine:
everything shares the processors.
"""

import asyncio
import logging
import sys
from collections.abc import Callable, Sequence
from statistics import median

import structlog

from arena.worker.sandbox import why_not_here
from benchmarks.hosted_load.annoying import beside
from benchmarks.hosted_load.costing import print_costs
from benchmarks.hosted_load.events import final, freeze_seconds, print_compared
from benchmarks.hosted_load.programs import NUISANCES
from benchmarks.hosted_load.shifts import print_gaps, print_shares
from benchmarks.hosted_load.uploads import print_first_matches, print_rush
from benchmarks.options import command
from benchmarks.tables import Table

SLOTS = 8


def main(
    *part: str, seconds: float = 6.0, rounds: int = 3, bots: int = 100, only: Sequence[str] = ()
) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    why_not = asyncio.run(why_not_here())
    if why_not is not None:
        sys.exit(why_not)
    parts: dict[str, Callable[[], None]] = {
        "cost": lambda: print_costs(rounds, seconds),
        "shifts": lambda: asyncio.run(print_gaps(6)),
        "sharing": lambda: asyncio.run(print_shares(bots, SLOTS, rounds)),
        "nuisances": lambda: print_nuisances(only or list(NUISANCES), seconds),
        "uploads": lambda: asyncio.run(print_rush(300, 60)),
        "first-match": lambda: print_first_matches(rounds),
        "freeze": lambda: print_freezes(rounds),
        "final": print_finals,
        "similar": lambda: asyncio.run(print_compared(bots=20, blocks=5)),
    }
    for name in part or parts:
        if name not in parts:
            sys.exit(f"no part {name!r}: there are {', '.join(parts)}")
        parts[name]()


def print_nuisances(names: Sequence[str], seconds: float) -> None:
    """Print how much of its speed a pair of hosted bots keeps beside each nuisance."""
    table = Table()
    for name in names:
        table.add(asyncio.run(beside(name, seconds)))


def print_freezes(rounds: int) -> None:
    """Print how long a freeze takes."""
    found = [asyncio.run(freeze_seconds(1000)) for _ in range(rounds)]
    Table().add({"entries": 1000, "frozen after, s": median(found), "at most, s": max(found)})


def print_finals() -> None:
    """Print how fast a final is played, and how long one of 20 bots with 40 blocks takes."""
    table, whole = Table(), 20 * 19 // 2 * 40 * 2
    for slots in (1, 2):
        matches, seconds = asyncio.run(final(bots=5, blocks=4 * slots, slots=slots))
        rate = 60 * matches / seconds
        row = {"slots": slots, "matches": matches, "a minute": rate}
        table.add(row, {"20 bots, 40 blocks a pairing, hours": whole / rate / 60})


if __name__ == "__main__":
    command(main, only=NUISANCES)
