"""The arms of a comparison with other platforms: programs that take turns, in processes."""

import json
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.rounds import Figures, Runs, alternate

Arm = tuple[str, list[str]]
"""The name of what is measured, and the command that measures it, without the seconds."""
Other = tuple[tuple[str, ...], Sequence[tuple[str, str, int]]]
"""The packages of a platform, and its arms: their names, the word of `others` and the seats."""
OTHERS: Final = Path(__file__).with_name("others.py")
INSTALL_S: Final = 300


def new_python(home: Path) -> str:
    """Return the Python of a new environment in a folder."""
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    return str(home / "bin" / "python")


def installed(python: str, *packages: str) -> bool:
    """Install packages from the package index, or print why they are left out."""
    command = [python, "-m", "pip", "install", "--quiet", *packages]
    try:
        subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S, check=True)
    except subprocess.TimeoutExpired:
        reason = f"it takes more than {INSTALL_S} s"
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines() or ["no reason given"]
        reason = next((line for line in lines if "Error: " in line), lines[-1]).strip()
    else:
        return True
    print(f"{packages[0]} is left out, it cannot be installed: {reason}")
    return False


def other_arms(home: Path, others: Sequence[Other]) -> list[Arm]:
    """Install other platforms into a new environment; return the arms of those installed."""
    python = new_python(home)
    return [
        (name, [python, str(OTHERS), platform, str(seats)])
        for packages, arms in others
        if installed(python, *packages)
        for name, platform, seats in arms
    ]


def of_programs(arms: Sequence[Arm], rounds: int, seconds: float) -> dict[str, Runs]:
    """Let all arms take turns, each in its own process; return their figures by name."""

    def figures(command: list[str]) -> Figures:
        found = measured([*command, str(seconds)])
        decisions, used, matches = found["decisions"], found["seconds"], found["matches"]
        speed = {"decisions/s": decisions / used, "µs a decision": 1e6 * used / decisions}
        return speed | {"µs a match": 1e6 * used / matches, "matches": matches}

    return alternate({name: partial(figures, command) for name, command in arms}, rounds)


def measured(command: Sequence[str]) -> Figures:
    """Return the figures that a program prints on its last line."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: Figures = json.loads(done.stdout.strip().splitlines()[-1])
    return figures
