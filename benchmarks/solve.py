"""Benchmark of the solver of Bluff, compared with OpenSpiel's CFR+ in C++.

The game is the same: one round, one die each (OpenSpiel's `liars_dice`). Both run in this command,
in turn, several times, each time in a process of its own on one core. Prints NashConv (what both
best responses gain together) over processor time of both, the states a second (an iteration of
either goes once through all histories with all pairs of hands), and how much faster the arena
reaches each of OpenSpiel's: medians of the runs, with the least and the most. `--iterations` are
those of OpenSpiel, which is installed from the package index into a temporary environment; if it
cannot be, it is left out with a message.
"""

import json as text
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.games_load.arms import installed, new_python
from benchmarks.options import command
from benchmarks.rounds import Figures, in_turns, ratios, together
from benchmarks.tables import Table

_OPENSPIEL = Path(__file__).parent / "solver_load" / "openspiel_cfr.py"
_OURS = ["-m", "benchmarks.solver_load.arena_cfr"]
_STATES = 2**12 * 6**2
"""Histories (sets of the 12 bets) with pairs of hands."""


def main(runs: int = 3, iterations: int = 250, json: Path | None = None) -> None:
    our_looks = sorted({round(10 * 1.15**step) for step in range(45)})
    # A look of OpenSpiel's takes as long as 25 of its iterations.
    their_looks = [iterations // 25, iterations // 5, iterations]
    table = Table()
    with tempfile.TemporaryDirectory() as home:
        python = new_python(Path(home))
        arms = {"arena": partial(_looks, [sys.executable, *_OURS], our_looks)}
        if installed(python, "open_spiel"):
            arms["OpenSpiel"] = partial(_looks, [python, str(_OPENSPIEL)], their_looks)
        found = in_turns(arms, runs)
    ours, theirs = (
        [together(runs_of_it) for runs_of_it in zip(*found.get(name, []), strict=True)]
        for name in ("arena", "OpenSpiel")
    )
    for name, looks in (("arena", ours[::6]), ("OpenSpiel", theirs)):
        for look in looks:
            figures = {what: median(of) for what, of in look.items()}
            speed = _STATES * figures["iterations"] / figures["seconds"]
            table.add({"": name}, figures, {"states/s": speed})
    for look in theirs:
        reached = [own for own in ours if own["nash_conv"] <= look["nash_conv"]]
        if reached:
            faster = ratios(look["seconds"], reached[0]["seconds"])
            table.add({"NashConv": look["nash_conv"], "times faster": faster})
    table.write(json)


def _looks(command: list[str], iterations: list[int]) -> list[Figures]:
    """Return the figures that a program reaches after each of these numbers of iterations."""
    words = [*command, *map(str, iterations)]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    return [text.loads(line) for line in done.stdout.splitlines()]


if __name__ == "__main__":
    command(main)
