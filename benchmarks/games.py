"""Benchmark of the rules, compared with TextArena's `LiarsDice-v0` and OpenSpiel's `liars_dice`.

Measures decisions per second of random playouts, in process, on one core, with the acting seat's
view built for every decision. The other platforms are installed from the package index into a
temporary environment; one that cannot be installed is left out with a message. All arms take turns,
each in its own process, for `--seconds` of CPU time. Prints medians over the rounds, ratios of
medians, and the memory that finished matches keep.

TextArena's environment, reset for each match as usual with Gym, includes all earlier matches in
every observation: a decision costs more with each match (about 0.7 ms on average over the first
second, 1.6 ms over ten), so the number of matches is printed with every figure.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Final

from arena.games import GAMES, make_game
from benchmarks.games_load.arms import Arm, Other, measured, of_programs, other_arms
from benchmarks.options import command
from benchmarks.tables import Table

MEMORY_MATCHES = 10_000
MOST = make_game("bluff").seat_counts[-1]
OTHERS: Final[Sequence[Other]] = (
    (
        ("textarena",),
        [
            (f"TextArena {kind}, {seats} seats", f"textarena-{kind}", seats)
            for seats in (2, MOST)
            for kind in ("fresh", "reused")
        ],
    ),
    (("open_spiel",), [("OpenSpiel, 2 seats", "openspiel", 2)]),  # it has at most two
)


def main(rounds: int = 5, seconds: float = 5.0, json: Path | None = None) -> None:
    arms: list[Arm] = [
        (f"{name}, {seats} seats", _own(name, seats))
        for name in GAMES
        for seats in (make_game(name).seat_counts[0], make_game(name).seat_counts[-1])
    ]
    with tempfile.TemporaryDirectory() as home:
        found = of_programs(arms + other_arms(Path(home), OTHERS), rounds, seconds)
    table = Table()
    for name, runs in found.items():
        platform, _, seats_of_it = name.partition(", ")
        bluff = None if platform in GAMES else found[f"bluff, {seats_of_it}"]["decisions/s"]
        speed = runs["decisions/s"]
        ratio = {"bluff relative to it": bluff and median(bluff) / median(speed)}
        table.add({"game": name}, runs, ratio)
    for name in GAMES:
        memory = measured([*_own(f"{name}-memory", 2), str(MEMORY_MATCHES)])
        table.add({"MB, 2 seats, after so many matches": name}, memory)
    table.write(json)


def _own(what: str, seats: int) -> list[str]:
    return [sys.executable, "-m", "benchmarks.games_load.arena_games", what, str(seats)]


if __name__ == "__main__":
    command(main)
