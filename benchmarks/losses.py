"""What decisions cost: their distribution, from which the bounds of grades are taken, and how many
matches tell two bots apart by their losses and by their results.

python -m benchmarks.losses [--bots timid,honest,bayes,cfr] [--matches 500] [--search]
                            [--seed losses] [--json FILE]

Plays so many matches of Bluff between each two of the bots and analyses them by the chosen tables,
or by the search. A difference of losses is between the losses of a decision in the matches of the
pair, one of results between the shares of matches won; both are told apart by their standard
errors, with a match as one cluster. The matches that losses need, as a multiple of those that
results need, are the squared ratio of these; the interval is of a bootstrap over the matches.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.games import make_game
from arena.lab.analysis import BOUNDS, ActionValues, BluffSearch, LossSums, analyse, known_sources
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from benchmarks.options import parser_of, write_json

QUANTILES: Final = (0.25, 0.5, 0.75, 0.875, 0.9375, 0.99)
RESAMPLES: Final = 2_000
Numbers: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Told:
    """How well the matches of a pair tell the first bot from the second."""

    pair: tuple[str, str]
    loss: float
    """The loss of a decision of the first, minus that of the second."""
    loss_errors: float
    """The same in standard errors."""
    share: float
    """The share of matches that the first won."""
    share_errors: float
    """By how many standard errors it differs from a half."""
    needed: float
    """How many matches losses need for each one that results need."""
    low: float
    high: float


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__, json=True)
    parser.add_argument("--bots", default="timid,honest,bayes,cfr", help="with commas between")
    parser.add_argument("--matches", type=int, default=500, help="between each two of them")
    parser.add_argument("--search", action="store_true", help="value actions by the search")
    parser.add_argument("--seed", default="losses")
    options = parser.parse_args()
    sources = (BluffSearch(),) if options.search else known_sources()
    bots = options.bots.split(",")
    losses: dict[str, list[list[float]]] = {bot: [] for bot in bots}
    told = []
    for pair in combinations(bots, 2):
        rows = []
        for first, second, won in _played(pair, options.matches, options.seed, sources):
            losses[pair[0]].append(first)
            losses[pair[1]].append(second)
            rows.append((len(first), sum(first), len(second), sum(second), won))
        told.append(_told(pair, np.array(rows, dtype=float)))
    every = np.sort([loss for by_match in losses.values() for one in by_match for loss in one])
    _print(losses, every, told)
    found = {
        "decisions": len(every),
        "quantiles": {str(at): float(np.quantile(every, at)) for at in QUANTILES},
        "up_to_bounds": {grade.value: _share(every, bound) for bound, grade in BOUNDS},
        "pairs": told,
    }
    write_json(options.json, found)


def _played(
    pair: tuple[str, str], matches: int, seed: str, sources: Sequence[ActionValues]
) -> Iterator[tuple[list[float], list[float], float]]:
    """Of each match the losses of both bots, and whether the first won."""
    contenders = [Contender(name, load_bot(name)) for name in pair]
    for match in play_series(make_game("bluff"), contenders, matches, f"{seed} {' '.join(pair)}"):
        found = analyse(match.transcript, sources)
        seats = [match.contenders.index(contender) for contender in (0, 1)]
        first, second = (found.seats[seat].losses for seat in seats)
        yield first, second, float(match.transcript.result.placing[seats[0]] == 1)


def _told(pair: tuple[str, str], rows: Numbers) -> Told:
    random = np.random.default_rng(1)
    again = [_errors(rows[random.integers(len(rows), size=len(rows))]) for _ in range(RESAMPLES)]
    ratios = [(share / loss) ** 2 for _, loss, _, share in again if loss]
    loss, loss_errors, share, share_errors = _errors(rows)
    low, high = np.quantile(ratios, (0.025, 0.975))
    return Told(
        pair, loss, loss_errors, share, share_errors,
        (share_errors / loss_errors) ** 2, float(low), float(high),
    )  # fmt: skip


def _errors(rows: Numbers) -> tuple[float, float, float, float]:
    """The difference of losses, and the share of matches won; both also in standard errors."""
    count, lost, other_count, other_lost, won = rows.T
    mean, other = lost.sum() / count.sum(), other_lost.sum() / other_count.sum()
    # A ratio of sums, by its linearisation (Cochran 1977, section 6.4).
    parts = (lost - mean * count) / count.mean()
    parts -= (other_lost - other * other_count) / other_count.mean()
    many = len(rows) ** 0.5
    difference, share = float(mean - other), float(won.mean())
    return (
        difference,
        difference / (float(parts.std(ddof=1)) / many),
        share,
        (share - 0.5) / (0.5 / many),  # that of two bots that are alike
    )


def _share(every: Numbers, bound: float) -> float:
    return float(np.searchsorted(every, bound, side="right") / len(every))


def _print(losses: dict[str, list[list[float]]], every: Numbers, told: list[Told]) -> None:
    print(f"{len(every):,} decisions")
    for at in QUANTILES:
        print(f"  {at:6.2%} cost up to {np.quantile(every, at):.2%} of a win")
    for bound, grade in BOUNDS:
        print(f"  up to {bound:.1%} ({grade.value}): {_share(every, bound):.0%}")
    for bot, by_match in losses.items():
        sums = LossSums.of((len(one), sum(one)) for one in by_match)
        mean, match = sums.by_decision, sums.by_match
        print(
            f"{bot}: a decision costs {mean.mean:.2%} ± {mean.error:.2%}, a match "
            f"{match.mean:.1%} ± {match.error:.1%} ({sums.matches:,} matches)"
        )
    for one in told:
        print(
            f"{one.pair[0]} and {one.pair[1]}: losses differ by {one.loss:+.2%}, "
            f"{abs(one.loss_errors):.1f} standard errors; {one.share:.1%} won, "
            f"{abs(one.share_errors):.1f}; losses need {one.needed:.2f} times the matches "
            f"({one.low:.2f} to {one.high:.2f})"
        )


if __name__ == "__main__":
    main()
