"""Benchmark of the referee, compared with a bare grpc.aio echo stream with messages of equal size.

The real referee (`arena serve`, results written to an embedded Postgres) and the echo server run
as processes; a client process loads one of them at a time, alternating. Prints medians over the
rounds and their ratios. The echo's clients and server and the bots use asyncio's own event loop;
the referee uses its default one.

With --watching it measures the cost of spectators instead. With --decisions N it plays N decisions
under full load instead, and counts the answers that the referee calls late: the bots answer at
once, so there must be none. With --layers it counts calls and allocations of a decision by layer,
and with --most N it also names the N most frequent functions.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.memory import resident_mb
from benchmarks.options import command
from benchmarks.referee_load.layers import count_allocations, count_calls, print_layers
from benchmarks.referee_load.stage import (
    bare_server,
    client,
    database,
    measure,
    next_line,
    referee,
    register,
)
from benchmarks.referee_load.watching import print_comparison
from benchmarks.rounds import Figures, alternate, ratios
from benchmarks.tables import Table

TURN_BYTES = 150
"""A turn of Bluff with two seats and its answer are 140 and 60 bytes."""
STREAMS = 8
MANY_MATCHES = 32
IDLE_BOTS = 256
MOST_RESIDENT_MB = 160
"""Of the referee under load."""


def main(
    rounds: int = 5,
    seconds: float = 3.0,
    watching: bool = False,
    decisions: int = 0,
    layers: bool = False,
    most: int = 0,
    json: Path | None = None,
) -> None:
    table = Table()
    if watching:
        print_comparison(table, STREAMS, rounds, seconds)
    else:
        with database() as url:
            tokens = asyncio.run(register(url, STREAMS, "bot"))
            if layers:
                calls, memory = count_calls(url, tokens), count_allocations(url, tokens)
                print_layers(table, calls, memory, most)
            elif decisions:
                table.add(full_load(url, tokens, decisions), {"target, MB": MOST_RESIDENT_MB})
            else:
                _beside_the_echo(table, url, tokens, rounds, seconds)
                idle = asyncio.run(register(url, IDLE_BOTS, "idle", "one"))
                table.add(_idle(url, idle))
    table.write(json)


def _beside_the_echo(
    table: Table, url: str, tokens: list[str], rounds: int, seconds: float
) -> None:
    with bare_server("echo", "serve") as (echo_port, _), referee(url) as (port, process):
        one, many = (("players", "play", port, count, seconds) for count in (1, MANY_MATCHES))
        arms: dict[str, Callable[[], Figures]] = {
            "echo": lambda: measure("echo", "load", echo_port, STREAMS, seconds, TURN_BYTES),
            f"{STREAMS} bots, one match each": lambda: measure(*one, tokens=tokens),
            f"{STREAMS} bots, {MANY_MATCHES} each": lambda: measure(*many, tokens=tokens),
        }
        found = alternate(arms, rounds)
        memory = resident_mb(process.pid)
    for arm, runs in found.items():
        for what in ("per_second", "median_us"):
            runs[f"{what} to the echo"] = ratios(runs[what], found["echo"][what])
        table.add({"": arm}, runs)
    table.add({"MB under load": memory, "target, MB": MOST_RESIDENT_MB})


def full_load(url: str, tokens: list[str], decisions: int) -> dict[str, Any]:
    """Let bots with many matches each make that many decisions; the database must be migrated.

    They answer at once: every refusal as LATE is the referee's own delay.
    """
    with referee(url) as (port, process):
        playing = ("players", "until", port, MANY_MATCHES, decisions)
        return dict(measure(*playing, tokens=tokens), MB=resident_mb(process.pid))


def _idle(url: str, tokens: list[str]) -> Figures:
    """Memory of idle connections; the bots have one owner, so they never meet."""
    with referee(url) as (port, process):
        before = resident_mb(process.pid)
        with client("players", "idle", port, tokens=tokens) as bots:
            next_line(bots)
            after = resident_mb(process.pid)
            bots.kill()
    return {"idle bots": len(tokens), "MB without": before, "MB that they add": after - before}


if __name__ == "__main__":
    command(main)
