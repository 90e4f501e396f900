"""What decisions cost: their distribution, from which the bounds of grades are taken, and how many
matches tell two bots apart by their losses and by their results.

Plays `--matches` of Bluff between each two of the bots and analyses them by the chosen tables, or
by the search. A difference of losses is between the losses of a decision in the matches of the
pair, one of results between the shares of matches won; both are told apart by their standard
errors, with a match as one cluster. The matches that losses need, as a multiple of those that
results need, are the squared ratio of these; the interval is of a bootstrap over the matches.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.games import make_game
from arena.lab.analysis import BOUNDS, ActionValues, BluffSearch, LossSums, analyse, known_sources
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from benchmarks.options import command
from benchmarks.tables import Estimate, Table

QUANTILES: Final = (0.25, 0.5, 0.75, 0.875, 0.9375, 0.99)
RESAMPLES: Final = 2_000
Numbers: TypeAlias = NDArray[np.float64]


def main(
    bots: str = "timid,honest,bayes,cfr",
    matches: int = 500,
    search: bool = False,
    seed: str = "losses",
    json: Path | None = None,
) -> None:
    sources = (BluffSearch(),) if search else known_sources()
    losses: dict[str, list[list[float]]] = {bot: [] for bot in bots.split(",")}
    pairs: list[dict[str, object]] = []
    for pair in combinations(losses, 2):
        rows = []
        for first, second, won in _played(pair, matches, seed, sources):
            losses[pair[0]].append(first)
            losses[pair[1]].append(second)
            rows.append((len(first), sum(first), len(second), sum(second), won))
        pairs.append({"pair": " and ".join(pair)} | _difference(np.array(rows, dtype=float)))
    every = np.sort([loss for by_match in losses.values() for one in by_match for loss in one])
    table = Table()
    print(f"{len(every):,} decisions; losses in % of a win")
    for at in QUANTILES:
        table.add({"share of decisions": at, "loss up to": float(100 * np.quantile(every, at))})
    for bound, grade in BOUNDS:
        share = float(np.searchsorted(every, bound, side="right") / len(every))
        table.add({"grade": grade.value, "loss up to": 100 * bound, "share of decisions": share})
    for bot, by_match in losses.items():
        sums = LossSums.of((len(one), sum(one)) for one in by_match)
        decision, match = sums.by_decision, sums.by_match
        table.add(
            {
                "bot": bot,
                "matches": sums.matches,
                "loss of a decision": f"{100 * decision.mean:.2f} ± {100 * decision.error:.2f}",
                "loss of a match": f"{100 * match.mean:.1f} ± {100 * match.error:.1f}",
            }
        )
    for row in pairs:
        table.add(row)
    table.write(json)


def _played(
    pair: tuple[str, str], matches: int, seed: str, sources: Sequence[ActionValues]
) -> Iterator[tuple[list[float], list[float], float]]:
    """Yield for each match the losses of both bots, and whether the first won."""
    contenders = [Contender(name, load_bot(name)) for name in pair]
    for match in play_series(make_game("bluff"), contenders, matches, f"{seed} {' '.join(pair)}"):
        found = analyse(match.transcript, sources)
        seats = [match.contenders.index(contender) for contender in (0, 1)]
        first, second = (found.seats[seat].losses for seat in seats)
        yield first, second, float(match.transcript.result.placing[seats[0]] == 1)


def _difference(rows: Numbers) -> dict[str, object]:
    """Return how well the matches of a pair tell the first bot from the second."""
    random = np.random.default_rng(1)
    again = [_errors(rows[random.integers(len(rows), size=len(rows))]) for _ in range(RESAMPLES)]
    needed = [(share / loss) ** 2 for _, loss, _, share in again if loss]
    loss, loss_errors, share, share_errors = _errors(rows)
    low, high = np.quantile(needed, (0.025, 0.975))
    return {
        "losses differ by": 100 * loss,
        "standard errors": abs(loss_errors),
        "won, %": 100 * share,
        "its standard errors": abs(share_errors),
        "losses need so many times the matches": Estimate(
            (share_errors / loss_errors) ** 2, float(low), float(high)
        ),
    }


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
        (share - 0.5) / (0.5 / many),  # the standard error of two equal bots
    )


if __name__ == "__main__":
    command(main)
