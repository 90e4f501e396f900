"""Benchmark of the solver of Bluff, compared with OpenSpiel's CFR+ in C++.

python -m benchmarks.solve [--iterations 100] [--json FILE]

The game is the same: one round, one die each (OpenSpiel's `liars_dice`). Both run in this command,
one after the other, each in its own process on one core. Prints NashConv (what both best responses
gain together) over processor time of both, the states a second (an iteration of either goes once
through all histories with all pairs of hands), and how much faster the arena reaches each of
OpenSpiel's. OpenSpiel is installed from the package index into a temporary environment; if it
cannot be, it is left out with a message.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

_OPENSPIEL = Path(__file__).parent / "solver_load" / "openspiel_cfr.py"
_OURS = ["-m", "benchmarks.solver_load.arena_cfr"]

_STATES = 2**12 * 6**2
"""Histories (sets of the 12 bets) with pairs of hands."""

Look = dict[str, Any]
"""Iterations, seconds of processor time, NashConv and memory at one moment."""


def main() -> None:
    """Run both and print the curves."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--iterations", type=int, default=100, help="of OpenSpiel")
    parser.add_argument("--json", type=Path, help="write all figures there")
    options = parser.parse_args()
    theirs = _openspiel([n for n in (10, 25, 50, 100, 250, 1000) if n <= options.iterations])
    looks = sorted({round(10 * 1.15**step) for step in range(45)})
    ours = _looks([sys.executable, *_OURS, *map(str, looks)])
    _print("arena", [look for look in ours if look["iterations"] in looks[::6]])
    _print("OpenSpiel", theirs)
    for look in theirs:
        first = next((own for own in ours if own["nash_conv"] <= look["nash_conv"]), None)
        if first is not None:
            print(
                f"NashConv {look['nash_conv']:.2e}: OpenSpiel {look['seconds']:.2f} s, "
                f"arena {first['seconds']:.4f} s, {look['seconds'] / first['seconds']:,.0f} times "
                "faster"
            )
    if options.json:
        report = {"arena": ours, "openspiel": theirs}
        options.json.write_text(json.dumps(report, indent=2) + "\n")


def _openspiel(looks: list[int]) -> list[Look]:
    with tempfile.TemporaryDirectory() as home:
        venv.create(home, with_pip=True)
        python = str(Path(home) / "bin" / "python")
        install = [python, "-m", "pip", "install", "--quiet", "open_spiel"]
        if subprocess.run(install, check=False).returncode:
            print("OpenSpiel cannot be installed here: left out.", file=sys.stderr)
            return []
        return _looks([python, str(_OPENSPIEL), *map(str, looks)])


def _looks(command: list[str]) -> list[Look]:
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def _print(name: str, looks: list[Look]) -> None:
    print(f"{name:10} iterations   seconds   NashConv   MB    states/s")
    for look in looks:
        print(
            f"{'':10} {look['iterations']:10,} {look['seconds']:9.4f} {look['nash_conv']:10.2e} "
            f"{look['memory_mb']:4.0f} {_STATES * look['iterations'] / look['seconds']:11,.0f}"
        )


if __name__ == "__main__":
    main()
