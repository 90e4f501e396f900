"""Benchmark of the live board: how much it slows the referee, and how long a refit takes.

First part: the referee under constant load from very cheap bots, while a process follows the live
board (`arena leaderboard --follow`: notified by the database, it reads new results and fits again).
That process is stopped (SIGSTOP) in every other time slice, and finds twice the results when it
continues. Printed are decisions/s with and without it, and the median ratio of neighbouring slices,
because the other load of the machine varies; `--slices 0` omits this part. Second part: a board of
100 bots in this process: reading so many matches, one more match and a refit, and a whole
leaderboard with intervals and ranks, without and with luck, in CPU time (one thread:
`OMP_NUM_THREADS=1`). The machine's load is printed with the figures.
"""

import asyncio
import json as text
import os
import signal
import statistics
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.match.transcript import Entrant
from arena.processes import processor_seconds
from arena.records import Registered, VersionId
from arena.server.boards.board import Board
from arena.server.boards.log_columns import SEATS, of_seats
from benchmarks.options import command
from benchmarks.referee_load.stage import client, database, next_line, referee, register
from benchmarks.rounds import median_ms
from benchmarks.tables import Table
from tests.end_to_end.programs import program

STREAMS = 8
MATCHES_AT_ONCE = 32
WARM_SECONDS = 40.0
BOTS = 100
MORE = 50
"""Matches after which the board of this process is fitted again, one by one."""


def main(
    slices: int = 24, seconds: float = 4.0, matches: int = 100_000, json: Path | None = None
) -> None:
    table, load = Table(), os.getloadavg()[0]
    if slices:
        table.add(_referee(slices, seconds))
    for seats, lucky in product((2, 6), (False, True)):
        table.add(_board(matches, seats, lucky=lucky))
    print(f"load of the machine: {load:.1f} … {os.getloadavg()[0]:.1f}")
    table.write(json)


def _referee(slices: int, seconds: float) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as home, database() as url:
        tokens = asyncio.run(register(url, STREAMS, "bot"))
        follow = ("leaderboard", "--follow", "--json")
        with (
            referee(url) as (port, _),
            program(Path(home), *follow, ARENA_DATABASE_URL=url) as follower,
        ):
            follower.wait_for("{")  # it has read the log so far
            pid = follower.process.pid
            loading = ("players", "count", port, MATCHES_AT_ONCE, WARM_SECONDS + slices * seconds)
            with client(*loading, tokens=tokens) as players:
                next_line(players)
                # Wait until Postgres has analysed its tables and plans with the statistics.
                time.sleep(WARM_SECONDS)
                boards, used = len(follower.said.splitlines()), processor_seconds(pid)
                began = [_slice(pid, seconds, on=number % 2 == 0) for number in range(slices)]
                os.kill(pid, signal.SIGCONT)
                counts = text.loads(next_line(players))
            boards = len(follower.said.splitlines()) - boards
            used = processor_seconds(pid) - used
    times, decisions = np.array(counts, float).T
    starts = np.array(began[:-1])  # the last one is cut by the end
    ends = np.interp(starts + seconds, times, decisions)
    speeds = ((ends - np.interp(starts, times, decisions)) / seconds).tolist()
    # Each slice with the board is compared with the slices before and after it.
    beside = [
        statistics.fmean(speeds[max(0, at - 1) : at + 2 : 2] if at else speeds[1:2])
        for at in range(0, len(speeds), 2)
    ]
    return {
        "decisions/s without a board": statistics.median(speeds[1::2]),
        "with one": statistics.median(speeds[::2]),
        "ratio of neighbours": statistics.median(np.divide(speeds[::2], beside)),
        "boards": boards,
        "of a core": used / (seconds * slices / 2),
    }


def _slice(follower: int, seconds: float, *, on: bool) -> float:
    """Let the follower run or stop it for a slice; returns the time at which the slice began."""
    began = time.monotonic()
    os.kill(follower, signal.SIGCONT if on else signal.SIGSTOP)
    time.sleep(seconds)
    return began


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


def _board(matches: int, seats: int, *, lucky: bool) -> dict[str, object]:
    """The figures of a board: medians in milliseconds of CPU time."""
    versions = {
        VersionId(n): Registered(VersionId(n), Entrant(f"bot{n}", "1", "somebody"), house=False)
        for n in range(BOTS)
    }
    log = _log(matches + 2 * MORE, seats, lucky=lucky)
    board = Board("bluff")
    whole = median_ms(lambda: board.extend(of_seats(log[:matches].ravel())), 1)
    board.fit(versions)
    waiting = iter(log[matches:])

    def again() -> None:
        board.extend(of_seats(next(waiting)))
        board.fit(versions)

    def lines() -> None:
        board.extend(of_seats(next(waiting)))
        shown = board.lines(versions)
        assert lucky == any(line.luck_adjusted is not None for line in shown)

    return {
        "bots": BOTS,
        "matches": matches,
        "seats": seats,
        "luck": lucky,
        "reading the log, ms": whole,
        "one more match and a refit": median_ms(again, MORE),
        "one more match and all lines": median_ms(lines, 10),
    }


if __name__ == "__main__":
    command(main)
