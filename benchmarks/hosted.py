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
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

import structlog

from arena.worker.sandbox import why_not_here
from benchmarks.hosted_load.annoying import beside
from benchmarks.hosted_load.comparing import compare
from benchmarks.hosted_load.costing import costs
from benchmarks.hosted_load.finals import final, freeze_seconds
from benchmarks.hosted_load.programs import NUISANCES
from benchmarks.hosted_load.rushing import rush
from benchmarks.hosted_load.sharing import SHIFT_SECONDS, shares
from benchmarks.hosted_load.submitting import first_matches
from benchmarks.hosted_load.switching import gaps

MATCHES = (1, 16)
SLOTS = 8


def cost(options: argparse.Namespace) -> None:
    """Print what a decision costs."""
    print("| matches at once | CPU confined, unconfined | ratio | time of an answer | ratio |")
    print("| --- | --- | --- | --- | --- |")
    for matches in MATCHES:
        hosted, free = asyncio.run(costs(options.rounds, options.seconds, matches))
        print(
            f"| {matches} | {hosted.cpu:.0f}, {free.cpu:.0f} µs | {hosted.cpu / free.cpu:.2f} "
            f"| {hosted.wall:.0f}, {free.wall:.0f} µs | {hosted.wall / free.wall:.2f} |",
            flush=True,
        )


def shifts(_options: argparse.Namespace) -> None:
    """Print what switching costs."""
    found = asyncio.run(gaps(6))
    print(
        f"\nBetween two shifts a slot loses {statistics.median(found):.2f} s "
        f"({min(found):.2f} to {max(found):.2f}, {len(found)} switches)",
        flush=True,
    )


def sharing(options: argparse.Namespace) -> None:
    """Print how even the shares of the slots are."""
    found = asyncio.run(shares(options.bots, SLOTS, options.rounds))
    times = [one.seconds for one in found]
    numbers = Counter(one.shifts for one in found)
    print(
        f"\n{options.bots} bots on {SLOTS} slots, shifts of {SHIFT_SECONDS} s: "
        + ", ".join(f"{bots} had {number} shifts" for number, bots in sorted(numbers.items()))
        + f"; {statistics.median(times):.1f} s each ({min(times):.1f} to {max(times):.1f}), "
        f"{sum(one.cut_short for one in found)} shifts cut short",
        flush=True,
    )


def nuisances(options: argparse.Namespace) -> None:
    """Print what a pair keeps beside each nuisance."""
    print(
        "\n| nuisance | alone | beside it | share | of that beside equal load | faults | it used |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in options.only or NUISANCES:
        one = asyncio.run(beside(name, options.seconds))
        print(
            f"| {name} | {one.alone:.0f}/s | {one.beside:.0f}/s | {one.beside / one.alone:.2f} "
            f"| {one.beside / one.loaded:.2f} | {one.faults} | {one.cores:.2f} cores |",
            flush=True,
        )


def uploads(_options: argparse.Namespace) -> None:
    """Print what came of many uploads."""
    one = asyncio.run(rush(300, 60))
    print(
        f"\n{one.taken} uploads in {one.seconds:.0f} s, {one.stored} wait for their check, "
        f"{len(one.refused)} refused; an upload takes {one.median_ms:.0f} ms, at most "
        f"{one.longest_ms:.0f}. Decisions beside them: 99th percentile {one.p99_ratio:.2f} ×, "
        f"{one.speed_ratio:.2f} of the speed",
        flush=True,
    )
    for sentence in sorted(set(one.refused)):
        print(f"refused: {sentence}")


def first_match(options: argparse.Namespace) -> None:
    """Print how long a bot takes from the upload to its first match."""
    found = list(first_matches(options.rounds))
    steps = [
        ("uploaded", [one.uploaded for one in found]),
        ("the check began", [one.began for one in found]),
        ("accepted", [one.accepted for one in found]),
        ("first rated match", [one.played for one in found]),
    ]
    print("\n| after | median | longest |\n| --- | --- | --- |")
    for name, times in steps:
        print(f"| {name} | {statistics.median(times):.1f} s | {max(times):.1f} s |", flush=True)


def freeze(options: argparse.Namespace) -> None:
    """Print how long a freeze takes."""
    found = [asyncio.run(freeze_seconds(1000)) for _ in range(options.rounds)]
    print(
        f"\n1,000 entries are frozen {statistics.median(found):.3f} s after the date, at most "
        f"{max(found):.3f} s",
        flush=True,
    )


def final_of_an_event(_options: argparse.Namespace) -> None:
    """Print how fast a final is played, and how long one of 20 bots with 40 blocks takes."""
    print("\n| slots | matches | a minute | 20 bots, 40 blocks a pairing |")
    print("| --- | --- | --- | --- |")
    whole = 20 * 19 // 2 * 40 * 2
    for slots in (1, 2):
        one = asyncio.run(final(bots=5, blocks=4 * slots, slots=slots))
        rate = 60 * one.matches / one.seconds
        print(f"| {slots} | {one.matches} | {rate:.0f} | {whole / rate / 60:.1f} h |", flush=True)


def similar(_options: argparse.Namespace) -> None:
    """Print how long 20 builds take to be compared."""
    one = asyncio.run(compare(bots=20, blocks=5))
    parts = ", ".join(f"{part} {seconds:.0f} s" for part, seconds in one.seconds.items())
    whole = sum(one.seconds.values())
    print(
        f"\narena event similar, 20 builds, {one.matches:,} matches: {parts}; {whole:.0f} s in all"
    )


PARTS: Final[Mapping[str, Callable[[argparse.Namespace], None]]] = {
    "cost": cost,
    "shifts": shifts,
    "sharing": sharing,
    "nuisances": nuisances,
    "uploads": uploads,
    "first-match": first_match,
    "freeze": freeze,
    "final": final_of_an_event,
    "similar": similar,
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
