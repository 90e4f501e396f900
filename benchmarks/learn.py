"""Benchmark of environments for learners, compared with other platforms.

Measures decisions per second of random legal play on one core, with the observation and the mask of
every decision written: of batches of 4,096 matches (with the random choice, and of steps alone), of
two threads, and of the pure rules one match at a time. PettingZoo, RLCard and OpenSpiel are
installed from the package index into a temporary environment; one that cannot be installed is left
out with a message. All arms take turns, each in its own process. Prints medians over the rounds.
With --only, as in `--only threads`, our arms alone whose names have this text.

With --equal it plays that many decisions in a batch and by the pure rules from the same draws, and
compares every observation, mask, seat, reward and end on the bytes; --table is the game and the
seats.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.games import KITS, make_game
from arena.learn import VectorEnv, vector_env
from benchmarks.games_load.arms import Arm, Other, of_programs, other_arms
from benchmarks.learn_load.pure_rules import PureRules
from benchmarks.options import command
from benchmarks.tables import Table

OTHERS: Final[Sequence[Other]] = (
    (("pettingzoo", "rlcard", "pygame"), [("PettingZoo leduc_holdem_v4", "pettingzoo", 2)]),
    (("rlcard",), [("RLCard leduc-holdem", "rlcard", 2)]),
    (("open_spiel",), [("OpenSpiel liars_dice", "openspiel", 2)]),
)
BATCHES = {"": "", "-steps": ", steps alone"}
EQUAL_BATCH = 64
_TOLD_EVERY = 100_000


def main(
    rounds: int = 5,
    seconds: float = 3.0,
    only: str | None = None,
    equal: int = 0,
    table: str = "bluff:2",
    seed: int = 1,
    json: Path | None = None,
) -> None:
    if equal:
        _compare(table, equal, seed)
        return
    arms = [arm for arm in _own_arms() if (only or "") in arm[0]]
    if not arms:
        sys.exit(f"--only: no name has {only!r}: {', '.join(dict(_own_arms()))}")
    with tempfile.TemporaryDirectory() as home:
        if only is None:
            arms += other_arms(Path(home), OTHERS)
        measured = of_programs(arms, rounds, seconds)
    found = Table()
    for name, runs in measured.items():
        found.add({"environment": name, "decisions/s": runs["decisions/s"]})
    found.write(json)


def _compare(table: str, decisions: int, seed: int) -> None:
    name, _, seats = table.partition(":")
    env = vector_env(name, int(seats), EQUAL_BATCH, seed)
    pure, begun, matches = PureRules(env, seed), time.monotonic(), 0
    pure.compare(None, env.reset())
    choose = np.random.default_rng(seed)
    for number in range(EQUAL_BATCH, decisions + EQUAL_BATCH, EQUAL_BATCH):
        actions = _mixed(env, choose)
        stepped = env.step(actions)
        pure.compare(actions, stepped)
        matches += int(stepped.done.sum())
        if number % _TOLD_EVERY < EQUAL_BATCH:
            print(f"\r{number:,} decisions", end="", file=sys.stderr, flush=True)
    print(
        f"\r{table}: {number:,} decisions in {matches:,} matches are the same by the pure rules; "
        f"{time.monotonic() - begun:.0f} s"
    )


def _mixed(env: VectorEnv, choose: np.random.Generator) -> NDArray[np.int32]:
    """Return uniform actions for half of the matches, and one of the first four for the others.

    A uniform choice alone climbs to the top at once and sees no long round.
    """
    masks = env.seen.masks
    place = np.minimum(choose.integers(1, 5, env.batch), masks.sum(axis=1))
    first = (masks.cumsum(axis=1) == place[:, None]).argmax(axis=1)
    mixed = np.where(choose.random(env.batch) < 0.5, first, env.random_actions())
    return mixed.astype(np.int32)


def _own_arms() -> list[Arm]:
    arms: list[Arm] = []
    for name, kit in KITS.items():
        if kit.part("batch") is not None:
            few, *_, many = make_game(name).seat_counts
            measured = [
                *((seats, what, said) for seats in (few, many) for what, said in BATCHES.items()),
                (few, "-threads", ", two threads"),
                (few, "-single", ", pure rules"),
            ]
            for seats, what, said in measured:
                words = ["benchmarks.learn_load.arena_batches", f"{name}{what}", str(seats)]
                arms.append((f"{name}, {seats} seats{said}", [sys.executable, "-m", *words]))
    return arms


if __name__ == "__main__":
    command(main)
