"""Benchmark of the compiled rules of Bluff: their speed, and their equality with the Python rules.

python -m benchmarks.compiled [--rounds 15] [--at-once 36]
python -m benchmarks.compiled --equal 10000000 [--jobs 2] [--seed 1]

The speed is that of messages of answers: split, played, and the next turns written, without the
referee around it; beside it the same messages by the Python rules and codec. Matches have two seats
with five dice, and `--at-once` of them are played at a time. Both take turns; medians are
printed.

`--equal` plays so many random matches under random options in both, and compares every turn, step,
event and result. It prints a hash of all that was compared, which depends on the seed and the
number alone, and ends with code 1 at the first difference.
"""

import statistics
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from time import monotonic

from benchmarks.compiled_load.equality import UnequalError, compare
from benchmarks.compiled_load.speed import WAYS, script
from benchmarks.options import parser_of

CHUNK = 10_000
"""The matches of one seed."""


def main() -> None:
    """Measure, or compare."""
    parser = parser_of(__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--at-once", type=int, default=36, help="matches, so answers to a message")
    parser.add_argument("--equal", type=int, metavar="MATCHES", help="compare so many matches")
    parser.add_argument("--jobs", type=int, default=1, help="processes that compare")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.equal is None:
        _measure(options.rounds, options.at_once, options.seed)
        return
    try:
        _compare(options.equal, options.jobs, options.seed)
    except UnequalError as error:
        sys.exit(str(error))


def _measure(rounds: int, at_once: int, seed: int) -> None:
    scripts = [script(seed + number, at_once) for number in range(10)]
    decisions = sum(one.decisions for one in scripts)
    answers = decisions / sum(len(one.messages) for one in scripts)
    matches = at_once * len(scripts)
    print(f"{decisions / matches:.1f} decisions a match, {answers:.1f} answers a message")
    taken: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, measured in WAYS.items():
            both = [measured(one) for one in scripts]
            play, rest = (sum(seconds) for seconds in zip(*both, strict=True))
            taken[way].append((play / decisions * 1e6, rest / matches * 1e6))
    for way, figures in taken.items():
        play, rest = (statistics.median(column) for column in zip(*figures, strict=True))
        print(f"{way:8} {play:6.2f} µs a decision, {rest:6.1f} µs to begin and end a match")


def _compare(count: int, jobs: int, seed: int) -> None:
    begun, everything, done = monotonic(), sha256(), 0
    told = begun
    for matches, digest in _chunks(count, jobs, seed):
        done += matches
        everything.update(digest)
        if monotonic() - told > 10:
            told = monotonic()
            print(f"{done:,} of {count:,} after {told - begun:.0f} s", file=sys.stderr)
    print(f"{done:,} matches are equal: {everything.hexdigest()}")


def _chunks(count: int, jobs: int, seed: int) -> Iterator[tuple[int, bytes]]:
    sizes = [CHUNK] * (count // CHUNK) + [count % CHUNK] * (count % CHUNK > 0)
    seeds = [f"{seed} {number}" for number in range(len(sizes))]
    if jobs == 1:
        yield from map(_chunk, seeds, sizes)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(_chunk, seeds, sizes)


def _chunk(seed: str, count: int) -> tuple[int, bytes]:
    digests = list(compare(seed, count))
    return len(digests), sha256(b"".join(digests)).digest()


if __name__ == "__main__":
    main()
