"""Benchmark of scale: what a long history and a large crowd cost, beside the targets.

Measured on databases without a match, with 1,000 and with 1,000,000, made by SQL, of tables of two
and of four, are `referee` (until its port is open), `commands`, `dashboard` (its leaderboard),
`recording` (what Postgres reads and writes to record a match) and `checkpoints` (the ladder's). The
others: `pairing`, what a table costs among many connected bots; `crowd`, decisions a second and the
CPU of one in a crowd beside a few bots at as many running matches; `bare`, the CPU of a decision
beside that of a bare gRPC server which exchanges the same messages; `idle`, the memory of connected
bots, beside such a server's; `referees` and `standing-by`, the CPU of a decision, and the decisions
a second, of several referees beside one; `adoption`, how long matches wait for another referee when
theirs ends; and `jobs`, what a second process brings to `arena play`.

Databases and figures are kept in the directory `--kept`, if it is given: what was measured is not
measured again, unless --only names its part, and all figures there are printed. So a run that was
ended goes on, and each part can be measured by a command of its own.

Printed are medians of the runs, the interval that holds the median with 95 % certainty (all runs,
of eight or fewer), the target, and whether it was met: "undecided" where some of the interval meets
it and some does not. Growth is the figure at 1,000,000 over that at 1,000, both without that of the
empty database, which is the start of the processes; it is judged by the extremes of the runs.
"""

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

from arena.database.embedded import EmbeddedPostgres
from arena.database.schema import migrate
from benchmarks.options import command
from benchmarks.rounds import Runs, together
from benchmarks.scale_load.adoption import seconds_until_adopted
from benchmarks.scale_load.crowd import beside_bare, decisions, idle_memory
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
from tests.databases import administrator, let_everybody_in

CANDIDATES: Final = (8, 1_000, 10_000)

WITH_HISTORY: Final[Mapping[str, Callable[[Filled, int], Runs]]] = {
    "referee": referee_start,
    "commands": commands,
    "dashboard": dashboard,
    "checkpoints": checkpoint,
    "recording": recording,
}
"""The parts that are measured on each database; the number is that of the runs."""
WITHOUT: Final = ["pairing", "crowd", "bare", "idle", "referees", "standing-by", "adoption", "jobs"]
"""The other parts."""


def main(
    bots: int = 1_000,
    matches: Sequence[int] = (1_000, 1_000_000),
    seats: Sequence[int] = (2, 4),
    kept: Path | None = None,
    runs: int = 3,
    only: Sequence[str] = (),
    crowd: int = 2_000,
    referees: Sequence[int] = (1, 2),
) -> None:
    parts = only or [*WITH_HISTORY, *WITHOUT]
    found = KeptFigures(kept and kept / "figures.json", again=only)
    for size, length in product(seats, (0, *sorted(matches))):
        of = f"{size} seats, {length} matches"
        wanted = [one for one in WITH_HISTORY if one in parts and found.lacks(f"{one}: {of}")]
        if wanted:
            with _database(kept, bots, length, size) as filled:
                for part in wanted:
                    found.add(f"{part}: {of}", WITH_HISTORY[part], filled, runs)
    loads = [load for count in referees for load in (shared_out(count), as_many_each(count))]
    without: dict[str, Callable[[], Any]] = {
        "pairing": lambda: {
            count: together(microseconds_a_table(count) for _ in range(runs))
            for count in CANDIDATES
        },
        "crowd": lambda: decisions(crowd, runs),
        "bare": lambda: beside_bare(crowd, runs),
        "idle": lambda: idle_memory(IDLE_BOTS),
        "referees": lambda: decisions_of(loads, runs),
        "standing-by": lambda: decisions_of(map(with_room, referees), runs),
        "adoption": lambda: seconds_until_adopted(runs),
        "jobs": lambda: matches_a_second(runs),
    }
    for part in WITHOUT:
        if part in parts and found.lacks(part):
            found.add(part, without[part])
    print_report(found)


@contextlib.contextmanager
def _database(kept: Path | None, bots: int, matches: int, seats: int) -> Iterator[Filled]:
    """Yield a database of that many matches, made unless it was kept."""
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
    command(main, only=(*WITH_HISTORY, *WITHOUT))
