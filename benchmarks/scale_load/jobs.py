"""What further processes bring to `arena play` on this machine."""

import json
import subprocess
import sys
from typing import Final

MATCHES: Final = 30_000


def matches_a_second(rounds: int) -> dict[int, list[float]]:
    """By the number of processes, in turns: the matches a second that the command tells."""
    found: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for jobs, figures in found.items():
            words = ["play", "honest", "honest", "--matches", MATCHES, "--seed", "scale"]
            done = subprocess.run(
                [sys.executable, "-m", "arena", *map(str, words), "--jobs", str(jobs), "--json"],
                capture_output=True,
                text=True,
                check=True,
            )
            figures.append(json.loads(done.stdout)["matches_per_second"])
    return found
