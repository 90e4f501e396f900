"""Benchmark of ratings on one core: a million matches at once, and one more match.

Compared with choix (only the maximum-likelihood fit, from the same matrix of points) and openskill
(online updates over the same matches: with `--whole` over all of them, otherwise over a random
twentieth, with the time scaled). Every figure is the median of its runs, in CPU time, so that a
busy machine changes little; the million matches are simulated once per number of bots. Memory is
the peak of the process before openskill begins.
"""

import os
import resource
import statistics
import time
from pathlib import Path

# numpy reads them when it is imported: one core.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import choix
import numpy as np
from openskill.models import PlackettLuce

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import fit
from arena.rating.intervals import intervals
from arena.rating.ladder import ladder
from arena.rating.results import MatchColumns, MatchResult, Results
from benchmarks.options import command
from benchmarks.rounds import median_ms
from benchmarks.tables import Table

SEED = 20250601
TABLE_SIZES = (2, 3, 4, 5, 6)
SHARE = 0.05
"""The share of matches that openskill rates without `--whole`."""


def played(rng: np.random.Generator, bots: int, matches: int) -> Results[int]:
    """A simulated log with ties; equally many matches per table size, in seat blocks."""
    strengths = rng.normal(0.0, 0.8, bots)
    tables, first = [], 0
    for seats in TABLE_SIZES:
        count = matches // len(TABLE_SIZES)
        blocks = -(-count // seats)
        who = rng.integers(bots, size=(blocks, seats))
        while (twice := (np.diff(np.sort(who, axis=1), axis=1) == 0).any(axis=1)).any():
            who[twice] = rng.integers(bots, size=(int(twice.sum()), seats))
        who = np.repeat(who, seats, axis=0)[:count]
        scores = np.floor(2.0 * (strengths[who] + rng.gumbel(size=who.shape)))
        placings = 1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
        numbers = np.arange(first, first + count)
        block = first + np.arange(count) // seats
        tables.append(MatchColumns(who.astype(np.int32), placings.astype(np.int16), block, numbers))
        first += count
    return Results.of_tables(range(bots), tables)


def measured(bots: int, matches: int, runs: int) -> dict[str, float]:
    """All figures for one number of bots; times in milliseconds."""
    log = played(np.random.default_rng(SEED), bots, matches)
    figures: dict[str, float] = {"bots": bots, "matches": len(log)}
    figures["aggregate"] = median_ms(lambda: Aggregate.of(log), runs)
    whole = Aggregate.of(log)
    figures["fit"] = median_ms(lambda: fit(whole), runs)
    fitted = fit(whole)
    figures["intervals"] = median_ms(lambda: intervals(fitted, log), runs)
    figures["everything"] = median_ms(
        lambda: ladder(intervals(fit(Aggregate.of(log)), log)), max(1, runs // 2)
    )
    figures["aggregate and fit"] = figures["aggregate"] + figures["fit"]
    rng = np.random.default_rng(SEED + 1)
    fresh = [
        MatchResult(
            ("new", n), tuple(zip(rng.permutation(bots)[:4].tolist(), (1, 2, 2, 4), strict=True))
        )
        for n in range(10 * runs)
    ]
    waiting = iter(fresh)
    latest = fitted

    def again() -> None:
        nonlocal latest
        whole.add(next(waiting))
        latest = fit(whole, start=latest.nats())

    figures["one more match and refit"] = median_ms(again, 10 * runs)
    # choix has no prior of this kind: the same points, ties as halves, plain likelihood.
    score = fitted.score
    figures["choix fit"] = median_ms(
        lambda: choix.ilsr_pairwise_dense(score, alpha=0.0), 1 if bots > 200 else runs
    )
    figures["choix fit / ours"] = figures["choix fit"] / figures["fit"]
    figures["peak memory in MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return figures


def beside_openskill(figures: dict[str, float], share: float, runs: int) -> dict[str, float]:
    """`figures` of one number of bots, with those of openskill's online updates added.

    They are over a random share of the same matches, in random order. The time per match is given
    for both halves of a pass: equal times show that the time of a share can be scaled to the whole.
    """
    log = played(np.random.default_rng(SEED), int(figures["bots"]), int(figures["matches"]))
    rng = np.random.default_rng(SEED + 2)
    chosen = [(table, rng.random(len(table)) < share) for table in log.tables]
    # Plain lists are made beforehand, because the storage of results is not measured.
    matches = [
        ([[bot] for bot in bots], [float(placing) for placing in placings])
        for table, kept in chosen
        for bots, placings in zip(
            table.bots[kept].tolist(), table.placings[kept].tolist(), strict=True
        )
    ]
    rng.shuffle(matches)
    halves = [matches[: len(matches) // 2], matches[len(matches) // 2 :]]
    seconds: list[list[float]] = []
    for _ in range(min(runs, 3)):
        model = PlackettLuce()
        rated = [model.rating() for _ in log.bots]
        seconds.append([])
        for half in halves:
            start = time.process_time()
            for seats, ranks in half:
                teams = [[rated[bot]] for (bot,) in seats]
                for (bot,), (new,) in zip(seats, model.rate(teams, ranks=ranks), strict=True):
                    rated[bot] = new
            seconds[-1].append(time.process_time() - start)
    first, second = (statistics.median(column) for column in zip(*seconds, strict=True))
    passed = 1000 * statistics.median(sum(row) for row in seconds)
    whole = passed * len(log) / len(matches)
    return figures | {
        "openskill pass": passed,
        "openskill per match, first half": 1000 * first / len(halves[0]),
        "openskill per match, second half": 1000 * second / len(halves[1]),
        "openskill pass over all matches": whole,
        "openskill / everything": whole / figures["everything"],
        "openskill / aggregate and fit": whole / figures["aggregate and fit"],
    }


def main(
    matches: int = 1_000_000, runs: int = 5, whole: bool = False, json: Path | None = None
) -> None:
    found = [
        beside_openskill(figures, 1.0 if whole else SHARE, runs)
        # Measured before openskill's lists of matches fill the memory.
        for figures in [measured(bots, matches, runs) for bots in (100, 1000)]
    ]
    table = Table()
    for name in found[0]:
        figures_by_bots = {f"{figures['bots']:,.0f} bots": figures[name] for figures in found}
        table.add({"milliseconds, medians": name}, figures_by_bots)
    table.write(json)


if __name__ == "__main__":
    command(main)
