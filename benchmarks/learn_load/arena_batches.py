"""Random legal play in batches of 4,096 matches.

python -m benchmarks.learn_load.arena_batches GAME SEATS SECONDS          steps and random choices
python -m benchmarks.learn_load.arena_batches GAME-steps SEATS SECONDS    steps alone
python -m benchmarks.learn_load.arena_batches GAME-threads SEATS SECONDS  both, in two threads
python -m benchmarks.learn_load.arena_batches GAME-single SEATS SECONDS   the pure rules, encoded

Times are CPU times; with threads, they are elapsed times.
"""

import json
import sys
import time
from random import Random
from typing import Any

import numpy as np

from arena.games import make_game
from arena.learn import encoding, vector_env
from benchmarks.games_load.arena_games import playout
from benchmarks.games_load.others import measure

BATCH = 4096
STEPS = 50
"""The steps between two readings of the clock."""


def main() -> None:
    """Run the measurement named on the command line."""
    name, _, what = sys.argv[1].partition("-")
    seats, seconds = int(sys.argv[2]), float(sys.argv[3])
    if what == "single":
        single(name, seats, seconds)
    else:
        batches(name, seats, seconds, what)


def batches(name: str, seats: int, seconds: float, what: str) -> None:
    """Step a batch for `seconds` and print decisions, matches and the time used."""
    threads = 2 if what == "threads" else 1
    env = vector_env(name, seats, BATCH, 7, threads=threads)
    clock = time.perf_counter if threads > 1 else time.process_time
    env.reset()
    for _ in range(STEPS):
        env.step(env.random_actions())
    decisions = matches = 0
    used = choosing = 0.0
    while used < seconds:
        begun = clock()
        for _ in range(STEPS):
            before = clock()
            actions = env.random_actions()
            choosing += clock() - before
            matches += int(env.step(actions).done.sum())
        used += clock() - begun
        decisions += STEPS * BATCH
    if what == "steps":
        used -= choosing
    print(json.dumps({"decisions": decisions, "matches": matches, "seconds": used}))


def single(name: str, seats: int, seconds: float) -> None:
    """Play the pure rules match by match, with an observation and a mask per decision."""
    game, encoded, random = make_game(name), encoding(name, seats), Random(1)

    def choose(view: Any, seat: int) -> Any:
        encoded.observe(view)
        return encoded.action(int(random.choice(np.flatnonzero(encoded.mask(view)))), seat)

    measure(lambda: playout(game, seats, random, choose), seconds)


if __name__ == "__main__":
    main()
