"""Benchmark of the rules, compared with TextArena's `LiarsDice-v0` and OpenSpiel's `liars_dice`.

python -m benchmarks.games [--rounds 5] [--seconds 5] [--json FILE]

Measures decisions per second of random playouts, in process, on one core, with the acting seat's
view built for every decision. The other platforms are installed from the package index into a
temporary environment; one that cannot be installed is left out with a message. All arms take turns,
each in its own process. Prints medians over the rounds, ratios of medians, and the memory that
finished matches keep.

TextArena's environment, reset for each match as usual with Gym, includes all earlier matches in
every observation: a decision costs more with each match (about 0.7 ms on average over the first
second, 1.6 ms over ten), so the number of matches is printed with every figure.
"""

import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from arena.games import GAMES, make_game
from benchmarks.games_load.arms import Arm, Other, in_turns, measured, other_arms
from benchmarks.options import parser_of, write_json

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


def main() -> None:
    """Run all rounds and print the report."""
    parser = parser_of(__doc__, json=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5.0, help="of CPU per arm and round")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        arms = _own_arms() + other_arms(Path(home), OTHERS)
        rounds = in_turns(arms, options.rounds, options.seconds)
        memory = {name: measured(command) for name, command in _memory_arms()}
    report = {
        "rounds": rounds,
        "medians": {name: _median(figures) for name, figures in rounds.items()},
        "resident_mb_by_matches": memory,
    }
    _print(report)
    write_json(options.json, report)


def _own_arms() -> list[Arm]:
    arms: list[Arm] = []
    for name in GAMES:
        counts = make_game(name).seat_counts
        for seats in (counts[0], counts[-1]):
            arms.append((f"{name}, {seats} seats", _own(name, seats)))
    return arms


def _memory_arms() -> list[Arm]:
    return [(name, [*_own(f"{name}-memory", 2), str(MEMORY_MATCHES)]) for name in GAMES]


def _own(what: str, seats: int) -> list[str]:
    return [sys.executable, "-m", "benchmarks.games_load.arena_games", what, str(seats)]


def _median(figures: list[dict[str, float]]) -> dict[str, float]:
    return {
        "decisions_per_second": statistics.median(f["decisions"] / f["seconds"] for f in figures),
        "us_per_decision": statistics.median(1e6 * f["seconds"] / f["decisions"] for f in figures),
        "us_per_match": statistics.median(1e6 * f["seconds"] / f["matches"] for f in figures),
        "matches": statistics.median(f["matches"] for f in figures),
    }


def _print(report: dict[str, Any]) -> None:
    medians = report["medians"]
    for name, figures in medians.items():
        print(
            f"{name}: {figures['decisions_per_second']:,.0f} decisions/s, "
            f"{figures['us_per_decision']:.1f} µs each, {figures['us_per_match']:,.0f} µs a match, "
            f"{figures['matches']:,.0f} matches"
        )
    for name, figures in medians.items():
        platform, _, table = name.partition(", ")
        if platform not in GAMES:
            ratio = figures["us_per_decision"] / medians[f"bluff, {table}"]["us_per_decision"]
            print(f"bluff against {name}: {ratio:.2f} × as fast per decision")
    for name, resident in report["resident_mb_by_matches"].items():
        told = ", ".join(
            f"{mb:.1f} MB after {int(count):,} matches" for count, mb in resident.items()
        )
        print(f"{name}, 2 seats: {told}")


if __name__ == "__main__":
    main()
