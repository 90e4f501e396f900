"""Benchmark of `arena export --decisions`: rows a second, and memory as matches grow.

The matches are made by SQL: each has the transcript of one that was really played, and a rating
event. Memory is the largest resident set of the command's process, without Postgres.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.options import command
from benchmarks.referee_load.stage import database
from benchmarks.scale_load.filling import fill_database
from benchmarks.tables import Table


def main(matches: Sequence[int] = (5_000, 50_000), seats: int = 2, bots: int = 100) -> None:
    table = Table()
    for count in matches:
        with tempfile.TemporaryDirectory() as folder, database() as url:
            fill_database(url, bots, count, seats)
            table.add({"matches": count}, measured(url, Path(folder, "decisions")))


def measured(url: str, folder: Path) -> dict[str, float]:
    """Export the decisions of a database; return the time, memory and size of that."""
    begun = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "arena", "export", "--decisions", str(folder)],
        env=os.environ | {"ARENA_DATABASE_URL": url},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    said = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begun
    if status:
        sys.exit("arena export --decisions failed")
    rows = int(said.partition(": ")[2].partition(" ")[0].replace(",", ""))
    return {
        "rows": rows,
        "s": seconds,
        "rows a second": rows / seconds,
        "rows a second of CPU time": rows / (usage.ru_utime + usage.ru_stime),
        "MiB": usage.ru_maxrss / 1024,
        "bytes a row": sum(one.stat().st_size for one in folder.rglob("*.parquet")) / rows,
    }


if __name__ == "__main__":
    command(main)
