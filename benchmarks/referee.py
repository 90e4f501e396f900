"""How fast the referee is, beside a bare grpc.aio echo stream with messages of the same size.

python -m benchmarks.referee [--rounds 5] [--seconds 3] [--json FILE]

The real referee (`arena serve`, results written to an embedded Postgres) and the echo server run
as processes; a client process loads one of them at a time, turn and turn about. Prints medians
over the rounds and their ratios. The echo's clients and server, and the bots, use asyncio's own
loop; the referee uses what it is shipped with.
"""

import argparse
import asyncio
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.processes import spawn, stop
from arena.storage.embedded import EmbeddedPostgres
from arena.storage.schema import migrate
from arena.storage.store import open_store

TURN_BYTES = 150
"""A turn of Bluff with two seats and its answer are 140 and 60 bytes."""
STREAMS = 8
MANY_MATCHES = 32
IDLE_BOTS = 256

Figures = dict[str, float]


def main() -> None:
    """Run all rounds and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--json", type=Path, help="write all figures there")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedPostgres(Path(home) / "postgres") as url,
    ):
        migrate(url)
        tokens = asyncio.run(_register(url, STREAMS, "bot"))
        report = _alternate(url, tokens, options.rounds, options.seconds)
        report["idle"] = _idle(url, asyncio.run(_register(url, IDLE_BOTS, "idle", "one")))
    _print(report)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(report, indent=2) + "\n")


async def _register(url: str, count: int, name: str, owner: str | None = None) -> list[str]:
    async with open_store(url) as store:
        return [
            (await store.register(f"{name}{n}", owner or f"{name}-owner{n}"))[1]
            for n in range(count)
        ]


def _alternate(url: str, tokens: list[str], rounds: int, seconds: float) -> dict[str, Any]:
    arms: dict[str, list[Figures]] = {"echo": [], "one": [], "many": []}
    with _echo() as echo_port, _referee(url) as (port, referee):
        for number in range(1, rounds + 1):
            echo = ("echo", "load", echo_port, STREAMS, seconds, TURN_BYTES)
            arms["echo"].append(_measure(*echo))
            for arm, matches in (("one", 1), ("many", MANY_MATCHES)):
                playing = ("players", "play", port, matches, seconds)
                arms[arm].append(_measure(*playing, tokens=tokens))
            print(f"round {number} of {rounds} done", file=sys.stderr)
        memory = _resident_mb(referee.pid)
    medians = {
        arm: {name: statistics.median(f[name] for f in figures) for name in figures[0]}
        for arm, figures in arms.items()
    }
    return {"rounds": arms, "medians": medians, "resident_mb_under_load": memory}


def _idle(url: str, tokens: list[str]) -> Figures:
    """Bots of one owner never meet, so these are connected and idle."""
    with _referee(url) as (port, referee):
        before = _resident_mb(referee.pid)
        with _client("players", "idle", port, tokens=tokens) as client:
            assert client.stdout is not None
            client.stdout.readline()
            after = _resident_mb(referee.pid)
            client.kill()
    return {"bots": len(tokens), "before_mb": before, "after_mb": after}


def _measure(*arguments: object, tokens: Sequence[str] = ()) -> Figures:
    with _client(*arguments, tokens=tokens) as client:
        answer, _ = client.communicate()
    figures: Figures = json.loads(answer)
    return figures


@contextlib.contextmanager
def _client(*arguments: object, tokens: Sequence[str] = ()) -> Iterator[subprocess.Popen[str]]:
    module, *rest = map(str, arguments)
    with subprocess.Popen(
        [sys.executable, "-m", f"benchmarks.referee_load.{module}", *rest],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as client:
        assert client.stdin is not None
        client.stdin.write("\n".join(tokens))
        client.stdin.close()
        client.stdin = None
        yield client


@contextlib.contextmanager
def _echo() -> Iterator[int]:
    port = _free_port()
    server = spawn(
        [sys.executable, "-m", "benchmarks.referee_load.echo", "serve", str(port)],
        stdout=subprocess.PIPE,
    )
    assert server.stdout is not None
    server.stdout.readline()
    try:
        yield port
    finally:
        stop(server)


@contextlib.contextmanager
def _referee(url: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    port = _free_port()
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {
            "ARENA_HOME": home,
            "ARENA_DATABASE_URL": url,
            "ARENA_LOG_LEVEL": "ERROR",
        }
        referee = spawn(
            [sys.executable, "-m", "arena", "serve", "--port", str(port)],
            env=environment,
            stdout=subprocess.PIPE,
        )
        assert referee.stdout is not None
        referee.stdout.readline()
        try:
            yield port, referee
        finally:
            stop(referee)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"process {pid} is gone")


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
        f"resident memory under load {report['resident_mb_under_load']:.0f} MB; "
        f"{idle['bots']} idle bots add "
        f"{idle['after_mb'] - idle['before_mb']:.0f} MB to {idle['before_mb']:.0f} MB"
    )


if __name__ == "__main__":
    main()
