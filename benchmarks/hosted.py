"""Benchmark of hosted bots: python -m benchmarks.hosted [PART …]

cost         the same bot in the sandbox and unconfined: CPU and time of a decision
shifts       how much of a slot's time is lost between two shifts
sharing      how evenly many bots share eight slots
nuisances    matches a second of a pair of hosted bots beside each nuisance
uploads      300 uploads in a minute beside a running load
first-match  from `arena submit` to the first rated match
freeze       how long after its date 1,000 entries of an event are frozen
final        matches a minute of the final of an event, with one slot and with two
similar      how long `arena event similar` takes for 20 builds, and each part of it

Each part starts what it needs, takes one to five minutes and prints medians and ratios; all of them
are run without a PART. Run it on a quiet machine: everything shares the processors.
"""

import argparse
import asyncio
import logging
import sys
from collections.abc import Callable, Mapping
from statistics import median
from typing import Final

import structlog

from arena.worker.sandbox import why_not_here
from benchmarks.hosted_load.annoying import print_beside
from benchmarks.hosted_load.comparing import print_compared
from benchmarks.hosted_load.costing import print_costs
from benchmarks.hosted_load.finals import final, freeze_seconds
from benchmarks.hosted_load.programs import NUISANCES
from benchmarks.hosted_load.rushing import print_rush
from benchmarks.hosted_load.sharing import print_shares
from benchmarks.hosted_load.submitting import print_first_matches
from benchmarks.hosted_load.switching import print_gaps

SLOTS = 8


def nuisances(options: argparse.Namespace) -> None:
    """Print what a pair keeps beside each nuisance."""
    print(
        "\n| nuisance | alone | beside it | share | of that beside equal load | faults | it used |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in options.only or NUISANCES:
        asyncio.run(print_beside(name, options.seconds))


def freeze(options: argparse.Namespace) -> None:
    """Print how long a freeze takes."""
    found = [asyncio.run(freeze_seconds(1000)) for _ in range(options.rounds)]
    print(
        f"\n1,000 entries are frozen {median(found):.3f} s after the date, at most "
        f"{max(found):.3f} s",
        flush=True,
    )


def final_of_an_event(_options: argparse.Namespace) -> None:
    """Print how fast a final is played, and how long one of 20 bots with 40 blocks takes."""
    print("\n| slots | matches | a minute | 20 bots, 40 blocks a pairing |")
    print("| --- | --- | --- | --- |")
    whole = 20 * 19 // 2 * 40 * 2
    for slots in (1, 2):
        matches, seconds = asyncio.run(final(bots=5, blocks=4 * slots, slots=slots))
        rate = 60 * matches / seconds
        print(f"| {slots} | {matches} | {rate:.0f} | {whole / rate / 60:.1f} h |", flush=True)


PARTS: Final[Mapping[str, Callable[[argparse.Namespace], None]]] = {
    "cost": lambda options: asyncio.run(print_costs(options.rounds, options.seconds)),
    "shifts": lambda _: asyncio.run(print_gaps(6)),
    "sharing": lambda options: asyncio.run(print_shares(options.bots, SLOTS, options.rounds)),
    "nuisances": nuisances,
    "uploads": lambda _: asyncio.run(print_rush(300, 60)),
    "first-match": lambda options: print_first_matches(options.rounds),
    "freeze": freeze,
    "final": final_of_an_event,
    "similar": lambda _: asyncio.run(print_compared(bots=20, blocks=5)),
}


def main() -> None:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seconds", type=float, default=6.0, help="of one measurement")
    parser.add_argument("--rounds", type=int, default=3, help="of cost, sharing and first-match")
    parser.add_argument("--bots", type=int, default=100, help="of sharing")
    parser.add_argument("--only", action="append", choices=list(NUISANCES))
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    why_not = asyncio.run(why_not_here())
    if why_not is not None:
        sys.exit(why_not)
    for part in options.part or PARTS:
        if part not in PARTS:
            parser.error(f"no part {part!r}: there are {', '.join(PARTS)}")
        PARTS[part](options)


if __name__ == "__main__":
    main()
