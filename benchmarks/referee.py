"""Benchmark of the referee, compared with a bare grpc.aio echo stream with messages of equal size.

python -m benchmarks.referee [--rounds 5] [--seconds 3] [--watching] [--decisions N] [--layers]
                             [--json FILE]

The real referee (`arena serve`, results written to an embedded Postgres) and the echo server run
as processes; a client process loads one of them at a time, alternating. Prints medians over the
rounds and their ratios. The echo's clients and server and the bots use asyncio's own event loop;
the referee uses its default one.

With --watching it measures instead what spectators cost. With --decisions it plays so many
decisions under full load instead, and counts the answers that the referee calls late: the bots
answer at once, so there must be none. With --layers it counts calls and allocations of a decision
by layer.
"""

import asyncio
import json
import statistics
import sys
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.memory import resident_mb
from benchmarks.options import parser_of, write_json
from benchmarks.referee_load import layers, watching
from benchmarks.referee_load.stage import (
    Figures,
    bare_server,
    client,
    database,
    measure,
    referee,
    register,
)

TURN_BYTES = 150
"""A turn of Bluff with two seats and its answer are 140 and 60 bytes."""
STREAMS = 8
MANY_MATCHES = 32
IDLE_BOTS = 256
MOST_RESIDENT_MB = 160
"""Of the referee under load."""


def main() -> None:
    """Run all rounds and print the report."""
    parser = parser_of(__doc__, json=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--watching", action="store_true", help="the cost of spectators")
    parser.add_argument("--decisions", type=int, help="count false lates in so many decisions")
    parser.add_argument("--layers", action="store_true", help="count calls by layer")
    parser.add_argument("--most", type=int, default=0, help="name so many functions with --layers")
    options = parser.parse_args()
    report: dict[str, Any]
    if options.layers:
        report = _layers(options.most)
    elif options.decisions:
        report = _lateness(options.decisions)
    elif options.watching:
        report = watched = watching.compare(STREAMS, options.rounds, options.seconds)
        watching.print_comparison(watched)
    else:
        report = _everything(options.rounds, options.seconds)
        _print(report)
    write_json(options.json, report)


@dataclass(frozen=True)
class FullLoad:
    """The findings of a run under full load."""

    decisions: int
    refused: dict[str, int]
    """Refusals by kind of fault. The bots answer at once: every LATE is the referee's own delay."""
    resident_mb: float
    """Memory of the referee at the end."""


def full_load(url: str, tokens: list[str], decisions: int) -> FullLoad:
    """Let bots with many matches each make so many decisions; the database must be migrated."""
    with referee(url) as (port, process):
        playing = ("players", "until", port, MANY_MATCHES, decisions)
        with client(*playing, tokens=tokens) as players:
            found = json.loads(players.communicate()[0])
        return FullLoad(found["decisions"], found["refused"], resident_mb(process.pid))


def _lateness(decisions: int) -> dict[str, Any]:
    with database() as url:
        found = full_load(url, asyncio.run(register(url, STREAMS, "bot")), decisions)
    print(
        f"{found.decisions} decisions, refused {found.refused or 'none'}; "
        f"resident memory {found.resident_mb:.0f} MB of at most {MOST_RESIDENT_MB}"
    )
    return asdict(found)


def _layers(most: int) -> dict[str, Any]:
    with database() as url:
        tokens = asyncio.run(register(url, STREAMS, "bot"))
        found, memory = layers.count_calls(url, tokens), layers.count_allocations(url, tokens)
    layers.print_layers(found, memory, most)
    return {"calls": asdict(found), "allocations": None if memory is None else asdict(memory)}


def _everything(rounds: int, seconds: float) -> dict[str, Any]:
    with database() as url:
        tokens = asyncio.run(register(url, STREAMS, "bot"))
        report = _alternate(url, tokens, rounds, seconds)
        report["idle"] = _idle(url, asyncio.run(register(url, IDLE_BOTS, "idle", "one")))
    return report


def _alternate(url: str, tokens: list[str], rounds: int, seconds: float) -> dict[str, Any]:
    arms: dict[str, list[Figures]] = {"echo": [], "one": [], "many": []}
    with bare_server("echo", "serve") as (echo_port, _), referee(url) as (port, process):
        for number in range(1, rounds + 1):
            echo = ("echo", "load", echo_port, STREAMS, seconds, TURN_BYTES)
            arms["echo"].append(measure(*echo))
            for arm, matches in (("one", 1), ("many", MANY_MATCHES)):
                playing = ("players", "play", port, matches, seconds)
                arms[arm].append(measure(*playing, tokens=tokens))
            print(f"round {number} of {rounds} done", file=sys.stderr)
        memory = resident_mb(process.pid)
    medians = {
        arm: {name: statistics.median(f[name] for f in figures) for name in figures[0]}
        for arm, figures in arms.items()
    }
    return {"rounds": arms, "medians": medians, "resident_mb_under_load": memory}


def _idle(url: str, tokens: list[str]) -> Figures:
    """Memory of idle connections; the bots have one owner, so they never meet."""
    with referee(url) as (port, process):
        before = resident_mb(process.pid)
        with client("players", "idle", port, tokens=tokens) as bots:
            assert bots.stdout is not None
            bots.stdout.readline()
            after = resident_mb(process.pid)
            bots.kill()
    return {"bots": len(tokens), "before_mb": before, "after_mb": after}


def _print(report: dict[str, Any]) -> None:
    echo, one, many = (report["medians"][arm] for arm in ("echo", "one", "many"))
    idle = report["idle"]
    print(
        f"bare echo, {STREAMS} streams: {echo['per_second']:.0f} round trips/s, "
        f"median {echo['median_us']:.0f} µs"
    )
    for title, arm in ((f"{STREAMS} bots, one match each", one), (f"{MANY_MATCHES} each", many)):
        print(
            f"{title}: {arm['per_second']:.0f} decisions/s "
            f"({arm['per_second'] / echo['per_second']:.2f} of the echo), median "
            f"{arm['median_us']:.0f} µs ({arm['median_us'] / echo['median_us']:.2f} of the echo), "
            f"{arm['matches_per_second']:.0f} matches/s recorded, "
            f"{arm['decisions_per_match']:.0f} decisions a match, "
            f"{arm['decisions_per_message']:.1f} a message"
        )
    print(
        f"resident memory under load {report['resident_mb_under_load']:.0f} MB of at most "
        f"{MOST_RESIDENT_MB}; "
        f"{idle['bots']} idle bots add "
        f"{idle['after_mb'] - idle['before_mb']:.0f} MB to {idle['before_mb']:.0f} MB"
    )


if __name__ == "__main__":
    main()
