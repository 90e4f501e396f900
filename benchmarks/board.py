"""Benchmark of the live board: how much it slows the referee, and how long a refit takes.

python -m benchmarks.board [--slices 24] [--seconds 4] [--matches 100000] [--json FILE]

First part: the referee under constant load from very cheap bots, while a process follows the live
board (`arena leaderboard --follow`: notified by the database, it reads new results and fits again).
That process is stopped (SIGSTOP) in every other time slice, and finds twice the results when it
continues. Printed are decisions/s with and without it, and the median ratio of neighbouring slices,
because the other load of the machine varies; `--slices 0` omits this part. Second part: a board of
100 bots in this process: one more match and a refit, and a whole leaderboard with intervals and
ranks, without and with luck, in CPU time (one thread: `OMP_NUM_THREADS=1`). The machine's load is
printed with the figures.
"""

import asyncio
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.match.transcript import Entrant
from arena.processes import processor_seconds
from arena.records import Registered, VersionId
from arena.server.boards.board import Board
from arena.server.boards.log_columns import SEATS, of_seats
from benchmarks.options import parser_of, write_json
from benchmarks.referee_load.stage import Figures, client, database, referee, register

STREAMS = 8
MATCHES_AT_ONCE = 32
WARM_SECONDS = 40.0
BOTS = 100


def main() -> None:
    """Measure both parts and print the report."""
    parser = parser_of(__doc__, json=True)
    parser.add_argument("--slices", type=int, default=24)
    parser.add_argument("--seconds", type=float, default=4.0, help="of a slice")
    parser.add_argument("--matches", type=int, default=100_000, help="of the board in this process")
    options = parser.parse_args()
    report: dict[str, Any] = {"load_before": os.getloadavg()[0]}
    if options.slices:
        report["referee"] = _referee(options.slices, options.seconds)
    report["board"] = [
        _board(options.matches, seats, lucky=lucky) for seats in (2, 6) for lucky in (False, True)
    ]
    report["load_after"] = os.getloadavg()[0]
    _print(report)
    write_json(options.json, report)


def _referee(slices: int, seconds: float) -> dict[str, Any]:
    with database() as url:
        tokens = asyncio.run(register(url, STREAMS, "bot"))
        with referee(url) as (port, _), _follower(url) as follower:
            loading = ("players", "count", port, MATCHES_AT_ONCE, WARM_SECONDS + slices * seconds)
            with client(*loading, tokens=tokens) as players:
                assert players.stdout is not None
                players.stdout.readline()
                # Wait until Postgres has analysed its tables and plans with the statistics.
                time.sleep(WARM_SECONDS)
                boards, used = follower.boards, processor_seconds(follower.process.pid)
                began = [_slice(follower, seconds, on=number % 2 == 0) for number in range(slices)]
                follower.process.send_signal(signal.SIGCONT)
                counts = json.loads(players.stdout.readline())
            boards, used = follower.boards - boards, processor_seconds(follower.process.pid) - used
    times, decisions = np.array(counts, float).T

    def speed(start: float) -> float:
        at, to = np.interp([start, start + seconds], times, decisions)
        return float(to - at) / seconds

    speeds = [speed(start) for start in began[:-1]]  # the last one is cut by the end
    with_board, without = speeds[::2], speeds[1::2]
    # Each slice with the board is compared with the slices before and after it.
    beside = [
        statistics.fmean(speeds[max(0, at - 1) : at + 2 : 2] if at else speeds[1:2])
        for at in range(0, len(speeds), 2)
    ]
    ratios = [one / other for one, other in zip(with_board, beside, strict=True)]
    return {
        "speeds": speeds,
        "per_second_on": statistics.median(with_board),
        "per_second_off": statistics.median(without),
        "ratio": statistics.median(ratios),
        "boards": boards,
        "board_cpu_share": used / (seconds * slices / 2),
        "matches": follower.matches,
    }


def _slice(follower: "_Follower", seconds: float, *, on: bool) -> float:
    """Let the follower run or stop it for a slice; returns the time at which the slice began."""
    began = time.monotonic()
    follower.process.send_signal(signal.SIGCONT if on else signal.SIGSTOP)
    time.sleep(seconds)
    return began


@dataclass
class _Follower:
    """A process of `arena leaderboard --follow`, and its output so far."""

    process: subprocess.Popen[str]
    boards: int = 0
    matches: int = 0

    def read(self) -> None:
        """Read its lines until it ends."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.matches = json.loads(line)["matches"]
            self.boards += 1


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


def _log(count: int, seats: int, *, lucky: bool) -> NDArray[Any]:
    """Results in seat blocks, with strengths about a hundred Elo apart and some ties, as SEATS by
    match. Luck is random, because its values do not affect the cost."""
    rng = np.random.default_rng(20250601)
    strengths = rng.normal(0.0, 0.8, BOTS)
    log = np.zeros((count, seats), SEATS)
    log["sequence"] = 1 + np.arange(count)[:, None]
    log["seat"] = np.arange(seats)
    for number, match in enumerate(log):
        if number % seats == 0:
            table = rng.choice(BOTS, seats, replace=False)
        scores = np.floor(2.0 * (strengths[table] + rng.gumbel(size=seats)))
        match["block"] = np.void((number // seats).to_bytes(16, "big"))
        match["version"] = table
        match["placing"] = 1 + (scores > scores[:, None]).sum(axis=1)
        drawn = rng.normal(0.0, 0.2, seats)
        match["luck"] = drawn - drawn.mean() if lucky else np.nan
    return log


def _board(matches: int, seats: int, *, lucky: bool) -> Figures:
    """The figures of a board: medians in milliseconds of CPU time."""
    versions = {
        VersionId(n): Registered(VersionId(n), Entrant(f"bot{n}", "1", "somebody"), house=False)
        for n in range(BOTS)
    }
    more = 50
    log = _log(matches + 2 * more, seats, lucky=lucky)
    board = Board("bluff")
    whole = _median_ms([lambda: board.extend(of_seats(log[:matches].ravel()))])
    board.fit(versions)

    def again(match: NDArray[Any]) -> None:
        board.extend(of_seats(match))
        board.fit(versions)

    def lines(match: NDArray[Any]) -> None:
        board.extend(of_seats(match))
        shown = board.lines(versions)
        assert lucky == any(line.luck_adjusted is not None for line in shown)

    waiting = iter(log[matches:])
    return {
        "seats": seats,
        "matches": matches,
        "luck": lucky,
        "reading the log": whole,
        "one more match and a refit": _median_ms([lambda: again(next(waiting))] * more),
        "one more match and all lines": _median_ms([lambda: lines(next(waiting))] * 10),
    }


def _median_ms(runs: list[Any]) -> float:
    times = []
    for run in runs:
        began = time.process_time()
        run()
        times.append(1000.0 * (time.process_time() - began))
    return statistics.median(times)


def _print(report: dict[str, Any]) -> None:
    print(f"load of the machine: {report['load_before']:.1f} … {report['load_after']:.1f}")
    if "referee" in report:
        _print_referee(report["referee"])
    for figures in report["board"]:
        said = ", ".join(
            f"{name} {figures[name]:.2f} ms"
            for name in figures
            if name not in ("seats", "matches", "luck")
        )
        print(
            f"{BOTS} bots, {figures['matches']:,} matches at {figures['seats']} seats, "
            f"{'with' if figures['luck'] else 'without'} luck: {said}"
        )


def _print_referee(live: dict[str, Any]) -> None:
    print(
        f"decisions/s, {STREAMS} bots with {MATCHES_AT_ONCE} matches each: "
        f"{live['per_second_off']:.0f} without a live board, {live['per_second_on']:.0f} with one; "
        f"median ratio of neighbouring slices {live['ratio']:.3f}"
    )
    print(
        f"the board: {live['boards']} leaderboards, {live['board_cpu_share']:.1%} of a core, "
        f"{live['matches']:,} matches at last"
    )


if __name__ == "__main__":
    main()
