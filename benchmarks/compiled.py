"""Benchmark of the compiled rules of Bluff: their speed, and their equality with the Python rules.

The speed is that of messages of answers: split, played, and the next turns written, without the
referee around it; beside it the same messages by the Python rules and codec. Matches have two seats
with five dice, and `--at-once` of them are played at a time. Both take turns; medians are printed.

`--equal` plays that many random matches under random options in both, by `--jobs` processes, and
compares every turn, step, event and result. It prints a hash of all that was compared, which
depends on the seed and the number alone, and ends with code 1 at the first difference.
"""

import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from hashlib import sha256
from time import monotonic

from benchmarks.compiled_load.equality import UnequalError, compare
from benchmarks.compiled_load.speed import WAYS, Script, script
from benchmarks.options import command
from benchmarks.rounds import Figures, alternate
from benchmarks.tables import Table

CHUNK = 10_000
"""The matches of one seed."""


def main(rounds: int = 15, at_once: int = 36, equal: int = 0, jobs: int = 1, seed: int = 1) -> None:
    if equal:
        try:
            _compare(equal, jobs, seed)
        except UnequalError as error:
            sys.exit(str(error))
        return
    scripts = [script(seed + number, at_once) for number in range(10)]
    decisions = sum(one.decisions for one in scripts)
    answers = decisions / sum(len(one.messages) for one in scripts)
    print(f"{decisions / at_once / 10:.1f} decisions a match, {answers:.1f} answers a message")
    table = Table()
    arms = {way: partial(_figures, play, scripts, at_once) for way, play in WAYS.items()}
    for way, runs in alternate(arms, rounds).items():
        table.add({"rules": way}, runs)


def _figures(
    play: Callable[[Script], tuple[float, float]], scripts: list[Script], at_once: int
) -> Figures:
    playing, rest = map(sum, zip(*map(play, scripts), strict=True))
    decisions = sum(one.decisions for one in scripts)
    return {
        "µs a decision": playing / decisions * 1e6,
        "µs to begin and end a match": rest / at_once / len(scripts) * 1e6,
    }


def _compare(count: int, jobs: int, seed: int) -> None:
    begun, everything, done = monotonic(), sha256(), 0
    told = begun
    sizes = [CHUNK] * (count // CHUNK) + [count % CHUNK] * (count % CHUNK > 0)
    seeds = [f"{seed} {number}" for number in range(len(sizes))]
    with ProcessPoolExecutor(jobs) as pool:
        for matches, digest in pool.map(_chunk, seeds, sizes):
            done += matches
            everything.update(digest)
            if monotonic() - told > 10:
                told = monotonic()
                print(f"{done:,} of {count:,} after {told - begun:.0f} s", file=sys.stderr)
    print(f"{done:,} matches are equal: {everything.hexdigest()}")


def _chunk(seed: str, count: int) -> tuple[int, bytes]:
    digests = list(compare(seed, count))
    return len(digests), sha256(b"".join(digests)).digest()


if __name__ == "__main__":
    command(main)
