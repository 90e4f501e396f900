"""What spectators cost: a referee under load with nobody, and with some, watching, in turns."""

import asyncio
import json
import statistics
import sys
from contextlib import ExitStack

from arena.processes import processor_seconds
from benchmarks.referee_load.stage import Figures, client, database, measure, referee, register

MATCHES = 32
ARMS = {
    "nobody": (),
    "nobody again": (),
    "one match": (1,),
    "8 of one match": (1,) * 8,
    "all": (0,),
}
"""By arm, how many matches each spectator is shown at the same time; 0 for all."""
LEAST_SECONDS = 4.0
"""How much longer spectators watch than the bots are measured: both take time to start."""


def compare(bots: int, rounds: int, seconds: float) -> dict[str, list[Figures]]:
    """Load one referee, with the spectators of each arm in turns."""
    found: dict[str, list[Figures]] = {arm: [] for arm in ARMS}
    with database() as url:
        tokens = asyncio.run(register(url, bots, "bot"))
        with referee(url) as (port, process):
            for number in range(1, rounds + 1):
                arms = list(ARMS.items())
                for arm, spectators in arms[:: (-1) ** number]:
                    with ExitStack() as stack:
                        watching = [
                            stack.enter_context(
                                client("spectator", port, matches, seconds + LEAST_SECONDS)
                            )
                            for matches in spectators
                        ]
                        before = processor_seconds(process.pid)
                        playing = ("players", "play", port, MATCHES, seconds)
                        figures = measure(*playing, tokens=tokens)
                        spent = processor_seconds(process.pid) - before
                        heard = [json.loads(one.communicate()[0]) for one in watching]
                    decided = figures["per_second"] * seconds
                    figures["referee_cpu_us"] = spent / decided * 1e6
                    figures["dropped"] = sum(bool(one["ended"]) for one in heard)
                    found[arm].append(figures)
                print(f"round {number} of {rounds} done", file=sys.stderr)
    return found


def print_comparison(found: dict[str, list[Figures]]) -> None:
    """The medians of each arm, and its ratios to nobody."""
    base = found["nobody"]
    for arm, rounds in found.items():
        ratios = [
            one["referee_cpu_us"] / other["referee_cpu_us"]
            for one, other in zip(rounds, base, strict=True)
        ]
        rates = [
            one["per_second"] / other["per_second"] for one, other in zip(rounds, base, strict=True)
        ]
        print(
            f"{arm}: {statistics.median(one['per_second'] for one in rounds):.0f} decisions/s "
            f"({statistics.median(rates):.3f}), CPU a decision "
            f"{statistics.median(one['referee_cpu_us'] for one in rounds):.0f} µs "
            f"({statistics.median(ratios):.3f}), dropped {sum(o['dropped'] for o in rounds):.0f}"
        )
