"""Benchmark of the solver of Bluff, compared with OpenSpiel's CFR+ in C++.

python -m benchmarks.solve [--runs 3] [--iterations 250] [--json FILE]

The game is the same: one round, one die each (OpenSpiel's `liars_dice`). Both run in this command,
in turn, several times, each time in a process of its own on one core. Prints NashConv (what both
best responses gain together) over processor time of both, the states a second (an iteration of
either goes once through all histories with all pairs of hands), and how much faster the arena
reaches each of OpenSpiel's: medians of the runs, with the least and the most. OpenSpiel is
installed from the package index into a temporary environment; if it cannot be, it is left out with
a message.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.games_load.arms import installed, new_python
from benchmarks.options import parser_of, write_json

_OPENSPIEL = Path(__file__).parent / "solver_load" / "openspiel_cfr.py"
_OURS = ["-m", "benchmarks.solver_load.arena_cfr"]

_STATES = 2**12 * 6**2
"""Histories (sets of the 12 bets) with pairs of hands."""


@dataclass(frozen=True)
class Look:
    """What a program reaches after so many iterations; all runs do the same."""

    iterations: int
    nash_conv: float
    memory_mb: float
    seconds: list[float]
    """Of processor time, by run."""


def main() -> None:
    """Run both and print the curves."""
    parser = parser_of(__doc__, json=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=250, help="of OpenSpiel, in each run")
    options = parser.parse_args()
    looks = sorted({round(10 * 1.15**step) for step in range(45)})
    # A look of OpenSpiel's takes as long as 25 of its iterations.
    their_looks = [options.iterations // 25, options.iterations // 5, options.iterations]
    our_runs, their_runs = [], []
    with tempfile.TemporaryDirectory() as home:
        python = new_python(Path(home))
        compared = installed(python, "open_spiel")
        for _ in range(options.runs):
            our_runs.append(_output([sys.executable, *_OURS, *map(str, looks)]))
            if compared:
                their_runs.append(_output([python, str(_OPENSPIEL), *map(str, their_looks)]))
    ours, theirs = _together(our_runs), _together(their_runs)
    _print("arena", [look for look in ours if look.iterations in looks[::6]])
    _print("OpenSpiel", theirs)
    for look in theirs:
        first = next((own for own in ours if own.nash_conv <= look.nash_conv), None)
        if first is not None:
            times = [their / own for their, own in zip(look.seconds, first.seconds, strict=True)]
            print(
                f"NashConv {look.nash_conv:.2e}: OpenSpiel {median(look.seconds):.2f} s, arena "
                f"{median(first.seconds):.4f} s: {median(times):,.0f} times faster "
                f"({min(times):,.0f} to {max(times):,.0f})"
            )
    write_json(options.json, {"arena": ours, "openspiel": theirs})


def _output(command: list[str]) -> list[dict[str, float]]:
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def _together(runs: Sequence[list[dict[str, float]]]) -> list[Look]:
    return [
        Look(
            round(looks[0]["iterations"]),
            looks[0]["nash_conv"],
            max(look["memory_mb"] for look in looks),
            [look["seconds"] for look in looks],
        )
        for looks in zip(*runs, strict=True)
    ]


def _print(name: str, looks: list[Look]) -> None:
    print(f"{name:10} iterations   seconds   NashConv   MB    states/s")
    for look in looks:
        seconds = median(look.seconds)
        print(
            f"{'':10} {look.iterations:10,} {seconds:9.4f} {look.nash_conv:10.2e} "
            f"{look.memory_mb:4.0f} {_STATES * look.iterations / seconds:11,.0f}"
        )


if __name__ == "__main__":
    main()
