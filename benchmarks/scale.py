"""Benchmark of scale: what a long history and a large crowd cost, beside the targets.

python -m benchmarks.scale [--kept DIRECTORY] [--only commands referee dashboard recording
    checkpoints pairing crowd bare idle referees adoption jobs] [--runs 3] [--bots 1000]
    [--matches 1000 1000000] [--seats 2 4] [--crowd 2000] [--referees 1 2]

The first five parts are measured on databases without a match, with 1,000 and with 1,000,000, made
by SQL, of tables of two and of four: until a referee's port is open; commands; the dashboard's
leaderboard; what Postgres reads and writes to record a match; the ladder's checkpoint. The others:
what a table costs among many connected bots; decisions a second and the CPU of one in a crowd
beside a few bots at as many running matches; the CPU of a decision beside that of a bare gRPC
server which exchanges the same messages; the memory of connected bots, beside such a server's; the
CPU of a decision, and the decisions a second, of several referees beside one; how long matches wait
for another referee when theirs ends; and what a second process brings to `arena play`.

Databases and figures are kept in DIRECTORY, if it is given: what was measured is not measured
again, unless --only names its part, and all figures there are printed. So a run that was ended goes
on, and each part can be measured by a command of its own.

Printed are medians of the runs, the interval that holds the median with 95 % certainty (all runs,
of eight or fewer), the target, and whether it was met: "undecided" where some of the interval meets
it and some does not. Growth is the figure at 1,000,000 over that at 1,000, both without that of the
empty database, which is the start of the processes; it is judged by the extremes of the runs.
"""

import argparse
import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from arena.database.embedded import EmbeddedPostgres
from arena.database.schema import migrate
from benchmarks.options import parser_of
from benchmarks.scale_load.adoption import seconds_until_adopted
from benchmarks.scale_load.beside_bare import beside_bare
from benchmarks.scale_load.crowd import decisions, idle_memory
from benchmarks.scale_load.figures import KeptFigures
from benchmarks.scale_load.filling import Filled, fill_database
from benchmarks.scale_load.measuring import (
    checkpoint,
    commands,
    dashboard,
    matches_a_second,
    referee_start,
)
from benchmarks.scale_load.pairing import microseconds_a_table
from benchmarks.scale_load.recording import recording
from benchmarks.scale_load.report import IDLE_BOTS, print_report
from benchmarks.scale_load.several_referees import as_many_each, decisions_of, shared_out, with_room
from benchmarks.scale_load.verdicts import Runs, together
from tests.databases import administrator, let_everybody_in

CANDIDATES: Final = (8, 1_000, 10_000)

WITH_HISTORY: Final[Mapping[str, Callable[[Filled, int], Runs]]] = {
    "referee": referee_start,
    "commands": commands,
    "dashboard": dashboard,
    "checkpoints": checkpoint,
    "recording": recording,
}
"""The parts that are measured on each database, so many times."""

WITHOUT: Final[Mapping[str, Callable[[argparse.Namespace], Any]]] = {
    "pairing": lambda options: {
        bots: together(microseconds_a_table(bots) for _ in range(options.runs))
        for bots in CANDIDATES
    },
    "crowd": lambda options: decisions(options.crowd, options.runs),
    "bare": lambda options: beside_bare(options.crowd, options.runs),
    "idle": lambda _: idle_memory(IDLE_BOTS),
    "referees": lambda options: decisions_of(
        dict.fromkeys(
            load for count in options.referees for load in (shared_out(count), as_many_each(count))
        ),
        options.runs,
    ),
    "standing-by": lambda options: decisions_of(map(with_room, options.referees), options.runs),
    "adoption": lambda options: seconds_until_adopted(options.runs),
    "jobs": lambda options: matches_a_second(options.runs),
}
"""The others."""


def main() -> None:
    """Measure and print the report."""
    parser = parser_of(__doc__)
    parser.add_argument("--bots", type=int, default=1_000)
    parser.add_argument("--matches", type=int, nargs="+", default=[1_000, 1_000_000])
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 4], help="of the tables")
    parser.add_argument("--kept", type=Path, help="where databases and figures are kept")
    parser.add_argument("--runs", type=int, default=3, help="of each command and page")
    parser.add_argument("--only", nargs="+", choices=[*WITH_HISTORY, *WITHOUT])
    parser.add_argument("--crowd", type=int, default=2_000, help="how many bots")
    parser.add_argument("--referees", type=int, nargs="+", default=[1, 2], help="how many at once")
    options = parser.parse_args()
    parts = options.only or [*WITH_HISTORY, *WITHOUT]
    found = KeptFigures(options.kept and options.kept / "figures.json", again=options.only or [])
    with_history = [part for part in WITH_HISTORY if part in parts]
    for seats in options.seats:
        for matches in (0, *sorted(options.matches)):
            of = f"{seats} seats, {matches} matches"
            wanted = [part for part in with_history if found.lacks(f"{part}: {of}")]
            if wanted:
                with _database(options.kept, options.bots, matches, seats) as filled:
                    for part in wanted:
                        found.add(f"{part}: {of}", WITH_HISTORY[part], filled, options.runs)
    for part, measure in WITHOUT.items():
        if part in parts and found.lacks(part):
            found.add(part, measure, options)
    print_report(found)


@contextlib.contextmanager
def _database(kept: Path | None, bots: int, matches: int, seats: int) -> Iterator[Filled]:
    """A database of so many matches, made unless it was kept."""
    with contextlib.ExitStack() as stack:
        if kept is None:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        else:
            home = kept / f"{bots}-{matches}-{seats}"
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
        url = stack.enter_context(EmbeddedPostgres(home / "postgres"))
        migrate(url)
        let_everybody_in(home / "postgres", url)
        done = home / "filled"
        if not done.exists():
            began = time.monotonic()
            fill_database(administrator(url), bots, matches, seats)
            print(f"{matches:,} matches of {seats} made in {time.monotonic() - began:.0f} s")
            done.touch()
        yield Filled(url, seats)


if __name__ == "__main__":
    main()
