"""The variance that AIVAT leaves of a match's result, beside the luck column.

python -m benchmarks.aivat [--known cfr,bayes,honest] [--others honest,bayes,cfr,timid]
                           [--matches 1000] [--dice 5] [--seed aivat] [--json FILE]

Plays so many independent matches of Bluff between each bot whose play is known and each other one.
A factor is the variance of the estimate over that of the result: of the results regressed on the
luck column's luck, on the luck that AIVAT finds by the values of the tables, and on all luck,
by the values of models as well, as `arena benchmark` does. The interval is of a bootstrap over the
matches. `z` is the mean of AIVAT's plain estimates by the tables minus that of the results, in its
standard errors: about 0 where nothing is biased.
"""

import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.games import make_game
from arena.lab.analysis.bluff.pair_values import ValueSets
from arena.lab.analysis.bluff.solved_play import chosen
from arena.lab.luck import luck_of
from arena.local.benchmark import aivat_of
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.rating.luck import luck_adjusted

RESAMPLES: Final = 500
Numbers: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Factor:
    """The part of the variance that an adjustment leaves, with its 95 % interval."""

    factor: float
    low: float
    high: float


@dataclass(frozen=True)
class Pair:
    """The figures of one pair of bots."""

    known: str
    other: str
    matches: int
    share: float
    """The share of matches that the known bot won."""
    luck_column: Factor
    aivat: Factor
    all: Factor
    z: float
    milliseconds: float
    """For an estimate of AIVAT."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--known", default="cfr,bayes,honest", help="with commas between")
    parser.add_argument("--others", default="honest,bayes,cfr,timid", help="with commas between")
    parser.add_argument("--matches", type=int, default=1000, help="of each pair")
    parser.add_argument("--dice", type=int, default=5, help="of each seat")
    parser.add_argument("--seed", default="aivat")
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args()
    solved = chosen()
    assert solved is not None, "the sample bots are not installed"
    values, found = ValueSets(solved), []
    print(
        "known      other      matches  won    luck column          AIVAT                "
        "all                  z     ms"
    )
    for known in options.known.split(","):
        for other in options.others.split(","):
            pair = _pair(known, other, options.matches, options.dice, options.seed, values)
            found.append(pair)
            print(
                f"{known:10} {other:10} {pair.matches:7,} {pair.share:5.1%}  "
                f"{_text(pair.luck_column)}  {_text(pair.aivat)}  {_text(pair.all)}  "
                f"{pair.z:+4.1f}  {pair.milliseconds:4.1f}",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps([asdict(pair) for pair in found], indent=2) + "\n")


def _pair(known: str, other: str, matches: int, dice: int, seed: str, values: ValueSets) -> Pair:
    game = make_game("bluff", {"dice_per_player": dice})
    aivat = aivat_of(known, values, game)
    contenders = [Contender("known", load_bot(known)), Contender("other", load_bot(other))]
    rows, seconds = [], 0.0
    for match in play_series(game, contenders, matches, f"{seed} {known} {other}"):
        seat = match.contenders.index(0)
        begun = time.perf_counter()
        estimates = aivat.estimates(match.transcript, seat)
        seconds += time.perf_counter() - begun
        result = float(match.result.placing[seat] == 1)
        rows.append((result, luck_of(match.transcript).seats[seat], *(result - estimates)))
    found = np.array(rows)
    results, column, luck = found[:, 0], found[:, 1], found[:, 2]
    error = luck.std(ddof=1) / matches**0.5
    return Pair(
        known,
        other,
        matches,
        float(results.mean()),
        _factor(results, column),
        _factor(results, luck),
        _factor(results, found[:, 1:]),
        float(-luck.mean() / error) if error else 0.0,
        1000 * seconds / matches,
    )


def _factor(results: Numbers, luck: Numbers) -> Factor:
    random = np.random.default_rng(1)
    again = []
    for _ in range(RESAMPLES):
        drawn = random.integers(len(results), size=len(results))
        again.append(luck_adjusted(results[drawn], luck[drawn]).variance_factor)
    low, high = np.quantile(again, (0.025, 0.975))
    return Factor(luck_adjusted(results, luck).variance_factor, float(low), float(high))


def _text(factor: Factor) -> str:
    return f"{factor.factor:.3f} ({factor.low:.3f}, {factor.high:.3f})"


if __name__ == "__main__":
    main()
