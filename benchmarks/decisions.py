"""Benchmark of `arena export --decisions`: rows a second, and memory as matches grow.

python -m benchmarks.decisions [--matches 5000 50000] [--seats 2] [--bots 100]

The matches are made by SQL: each has the transcript of one that was really played, and a rating
event. Memory is the largest resident set of the command's process, without Postgres.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from arena.database.embedded import EmbeddedPostgres
from arena.database.schema import migrate
from benchmarks.options import parser_of
from benchmarks.scale_load.filling import fill_database


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__)
    parser.add_argument("--matches", type=int, nargs="+", default=[5_000, 50_000])
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--bots", type=int, default=100)
    asked = parser.parse_args()
    for matches in asked.matches:
        with (
            tempfile.TemporaryDirectory() as folder,
            EmbeddedPostgres(Path(folder) / "postgres") as url,
        ):
            migrate(url)
            fill_database(url, asked.bots, matches, asked.seats)
            print(f"{matches:,} matches: {measured(url, Path(folder))}", flush=True)


def measured(url: str, folder: Path) -> str:
    """Export the decisions of a database; return what it took."""
    command = [sys.executable, "-m", "arena", "export", "--decisions", str(folder / "decisions")]
    begun = time.perf_counter()
    child = subprocess.Popen(
        command, env=os.environ | {"ARENA_DATABASE_URL": url}, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    said = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begun
    if status:
        sys.exit(f"{' '.join(command)} failed")
    rows = int(said.partition(": ")[2].partition(" ")[0].replace(",", ""))
    size = sum(one.stat().st_size for one in (folder / "decisions").rglob("*.parquet"))
    return (
        f"{rows:,} rows in {seconds:.1f} s, {rows / seconds:,.0f} rows a second, "
        f"{rows / (usage.ru_utime + usage.ru_stime):,.0f} a second of CPU time, "
        f"{usage.ru_maxrss / 1024:.0f} MiB, {size / rows:.1f} bytes a row"
    )


if __name__ == "__main__":
    main()
