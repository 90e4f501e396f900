"""What the live board costs: whom it delays, and how long a refit takes.

python -m benchmarks.board [--rounds 5] [--seconds 3] [--matches 100000] [--json FILE]

First the referee, loaded by bots that cost next to nothing, with and without a process that follows
the live board (`arena leaderboard --follow`: told by the database, it reads what is new and fits
again). Rounds alternate, and so does which arm goes first; prints the medians of decisions/s and
the median of the rounds' ratios. Then a board of 100 bots in this process: one more match and a refit, and a whole
leaderboard with intervals and ranks. Figures of a machine that is busy otherwise say little: the
load is printed beside them.
"""

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

from arena.match.transcript import Entrant
from arena.storage.embedded import EmbeddedPostgres
from arena.storage.schema import migrate
from arena.tournament.board import Board
from arena.tournament.ports import Registered, VersionId
from benchmarks.referee_load.stage import Figures, measure, referee, register

STREAMS = 8
MATCHES_AT_ONCE = 32
BOTS = 100


def main() -> None:
    """Measure both and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--matches", type=int, default=100_000, help="of the board in this process")
    parser.add_argument("--json", type=Path, help="write all figures there")
    options = parser.parse_args()
    report: dict[str, Any] = {"load_before": os.getloadavg()[0]}
    report["referee"] = _referee(options.rounds, options.seconds)
    report["board"] = [_board(options.matches, seats) for seats in (2, 6)]
    report["load_after"] = os.getloadavg()[0]
    _print(report)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(report, indent=2) + "\n")


def _referee(rounds: int, seconds: float) -> dict[str, Any]:
    arms: dict[str, list[Figures]] = {"off": [], "on": []}
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedPostgres(Path(home) / "postgres") as url,
    ):
        migrate(url)
        tokens = asyncio.run(register(url, STREAMS, "bot"))
        with referee(url) as (port, _):
            playing = ("players", "play", port, MATCHES_AT_ONCE, seconds)
            measure(*playing, tokens=tokens)  # a log to begin with, and everything warm
            for number in range(rounds):
                for arm in ("off", "on") if number % 2 else ("on", "off"):
                    if arm == "off":
                        arms[arm].append(measure(*playing, tokens=tokens))
                        continue
                    with _follower(url) as follower:
                        boards, used = follower.boards, follower.cpu_seconds()
                        figures = measure(*playing, tokens=tokens)
                        figures["boards"] = follower.boards - boards
                        figures["board_cpu_seconds"] = follower.cpu_seconds() - used
                        figures["board_matches"] = follower.matches
                    arms[arm].append(figures)
                print(f"round {number + 1} of {rounds} done", file=sys.stderr)
    medians = {
        arm: {name: statistics.median(f[name] for f in figures) for name in figures[0]}
        for arm, figures in arms.items()
    }
    # Of the two arms of one round, so that what else the machine does for minutes cancels out.
    ratios = [
        on["per_second"] / off["per_second"]
        for on, off in zip(arms["on"], arms["off"], strict=True)
    ]
    return {"rounds": arms, "medians": medians, "ratio": statistics.median(ratios)}


@dataclass
class _Follower:
    """`arena leaderboard --follow`, and what it has said so far."""

    process: subprocess.Popen[str]
    boards: int = 0
    matches: int = 0

    def read(self) -> None:
        """Takes in its lines until it ends."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.matches = json.loads(line)["matches"]
            self.boards += 1

    def cpu_seconds(self) -> float:
        """What it has used of a core."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))


@contextlib.contextmanager
def _follower(url: str) -> Iterator[_Follower]:
    with subprocess.Popen(
        [sys.executable, "-m", "arena", "leaderboard", "--follow", "--json"],
        env=os.environ | {"ARENA_DATABASE_URL": url},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        follower = _Follower(process)
        reader = Thread(target=follower.read)
        reader.start()
        try:
            while not follower.boards:  # it has read the log so far
                if process.poll() is not None:
                    raise RuntimeError("the follower ended")
                time.sleep(0.05)
            yield follower
        finally:
            process.terminate()
            reader.join()


@dataclass(frozen=True, slots=True)
class _Row:
    sequence: int
    match_id: str
    block_id: str
    version_ids: list[VersionId]
    placings: list[int]


def _rows(count: int, seats: int) -> list[_Row]:
    """Seat blocks of one table, strengths a hundred Elo or so apart, some ties."""
    rng = np.random.default_rng(20250601)
    strengths = rng.normal(0.0, 0.8, BOTS)
    rows = []
    for number in range(count):
        if number % seats == 0:
            table = rng.choice(BOTS, seats, replace=False)
        scores = np.floor(2.0 * (strengths[table] + rng.gumbel(size=seats)))
        placings = [1 + int((scores > score).sum()) for score in scores]
        bots = [VersionId(int(bot)) for bot in table]
        rows.append(_Row(number + 1, f"m{number}", f"b{number // seats}", bots, placings))
    return rows


def _board(matches: int, seats: int) -> Figures:
    """Milliseconds, medians."""
    versions = {
        VersionId(n): Registered(VersionId(n), Entrant(f"bot{n}", "1", "somebody"), house=False)
        for n in range(BOTS)
    }
    more = 50
    rows = _rows(matches + 2 * more, seats)
    board = Board("bluff")
    whole = _median_ms([lambda: board.extend(rows[:matches])])
    board.fit(versions)

    def again(row: _Row) -> None:
        board.extend([row])
        board.fit(versions)

    def lines(row: _Row) -> None:
        board.extend([row])
        board.standings(versions)

    waiting = iter(rows[matches:])
    return {
        "seats": seats,
        "matches": matches,
        "reading the log": whole,
        "one more match and a refit": _median_ms([lambda: again(next(waiting))] * more),
        "one more match and all lines": _median_ms([lambda: lines(next(waiting))] * 10),
    }


def _median_ms(runs: list[Any]) -> float:
    times = []
    for run in runs:
        began = time.perf_counter()
        run()
        times.append(1000.0 * (time.perf_counter() - began))
    return statistics.median(times)


def _print(report: dict[str, Any]) -> None:
    off, on = (report["referee"]["medians"][arm] for arm in ("off", "on"))
    print(f"load of the machine: {report['load_before']:.1f} … {report['load_after']:.1f}")
    print(
        f"decisions/s, {STREAMS} bots with {MATCHES_AT_ONCE} matches each: "
        f"{off['per_second']:.0f} without a live board, {on['per_second']:.0f} with one: "
        f"median ratio of a round {report['referee']['ratio']:.3f}"
    )
    print(
        f"the board: {on['boards']:.0f} leaderboards a round, {on['board_cpu_seconds']:.2f} s of "
        f"a core, {on['board_matches']:.0f} matches at last"
    )
    for figures in report["board"]:
        said = ", ".join(
            f"{name} {figures[name]:.2f} ms" for name in figures if name not in ("seats", "matches")
        )
        print(f"{BOTS} bots, {figures['matches']:,} matches at {figures['seats']} seats: {said}")


if __name__ == "__main__":
    main()
