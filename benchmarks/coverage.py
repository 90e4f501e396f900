"""Benchmark of intervals: how often those of a newcomer hold the truth.

Leagues are simulated: eight old bots with `--old` blocks each, and a newcomer with few. A block
plays one match for each of its seats. Strength plus Gumbel noise orders a table, in steps, so that
there are ties. The old bots are equal, or up to 200 Elo stronger or weaker than their mean; of
unequal leagues the newcomer is in turn as strong as each of five kinds. Matches of a block are
independent, or share luck as large as the noise of a match ("clustered"), or have luck that is
measured ("lucky"); of these the luck-adjusted Elo is judged, too, also where a board would not show
it yet. The truth is what an endless league of this kind shows.

Printed are the shares of the newcomer's differences to the old bots whose 95 % interval holds the
truth, of its Elo against the mean of the pool, of its rank ranges that hold its true rank (equal
bots have one at random, as if they differed by next to nothing) and of those that hold all ranks of
bots as strong as it is; and half the mean width of the differences' intervals. A share of 1,000
leagues has a standard error of up to 0.7 %.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Final

import numpy as np

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import fit
from arena.rating.elo import ELO_PER_NAT, Z_95, FloatArray
from arena.rating.intervals import Intervals, intervals
from arena.rating.luck_column import luck_fit
from arena.rating.ranks import rank_ranges
from arena.rating.results import MatchColumns, Results
from benchmarks.options import command
from benchmarks.rounds import Figures, together
from benchmarks.tables import Table

OLD_BOTS: Final = 8
REACH: Final = 200.0
KINDS: Final = 5
ENDLESS: Final = 40_000
"""Blocks of the league that shows the truth."""
STEP: Final = 0.5
"""Nats: scores that share a step tie."""
NEWCOMER: Final = OLD_BOTS


@dataclass(frozen=True, slots=True)
class World:
    """How leagues are played."""

    seats: int
    equal: bool
    shared: float = 0.0
    """The standard deviation of the luck that matches of a block share, nats."""
    measured: float = 0.0
    """The standard deviation of luck that is measured for every match."""

    @property
    def strengths(self) -> FloatArray:
        """(old bots and kinds of newcomers,), Elo."""
        reach = 0.0 if self.equal else REACH
        return np.concatenate(
            [np.linspace(-reach, reach, OLD_BOTS), np.linspace(-reach, reach, KINDS)]
        )

    def table(
        self, rng: np.random.Generator, blocks: np.ndarray, strengths: FloatArray
    ) -> MatchColumns:
        """The matches of blocks (n, seats) of bots."""
        count = len(blocks) * self.seats
        who = np.repeat(blocks, self.seats, axis=0)
        scores = strengths[who] / ELO_PER_NAT + rng.gumbel(size=who.shape)
        scores += self.shared * np.repeat(rng.normal(size=blocks.shape), self.seats, axis=0)
        luck = rng.normal(size=who.shape)
        luck -= luck.mean(axis=1, keepdims=True)
        scores += self.measured * luck
        steps = np.floor(scores / STEP)
        placings = 1 + (steps[:, None, :] > steps[:, :, None]).sum(axis=2)
        return MatchColumns(
            who.astype(np.int32),
            placings.astype(np.int16),
            np.repeat(np.arange(len(blocks)), self.seats),
            np.arange(count),
            0.2 * luck if self.measured else None,
        )

    def truth(self, rng: np.random.Generator) -> FloatArray:
        """(old bots and kinds,): the Elo of an endless league, relative to the mean of the old."""
        strengths = self.strengths
        if self.equal:
            return np.zeros(len(strengths))
        blocks = _seated(rng, ENDLESS, len(strengths), self.seats)
        log = Results.of_tables(range(len(strengths)), [self.table(rng, blocks, strengths)])
        elo = fit(Aggregate.of(log), prior_sd=None).elo
        centred: FloatArray = elo - elo[:OLD_BOTS].mean()
        return centred

    def league(
        self, rng: np.random.Generator, old_blocks: int, new_blocks: int, kind: int
    ) -> Results[int]:
        """A league in which the newcomer plays `new_blocks` blocks."""
        among_old = _seated(rng, old_blocks * OLD_BOTS // self.seats, OLD_BOTS, self.seats)
        opponents = _seated(rng, new_blocks, OLD_BOTS, self.seats - 1)
        with_new = np.column_stack([np.full(new_blocks, NEWCOMER), opponents])
        strengths = self.strengths[[*range(OLD_BOTS), OLD_BOTS + kind]]
        table = self.table(rng, np.concatenate([among_old, with_new]), strengths)
        return Results.of_tables(range(OLD_BOTS + 1), [table])

    def new_ladder(self, rng: np.random.Generator, blocks: int) -> Results[int]:
        """A ladder of `blocks` blocks of equal bots."""
        table = self.table(rng, _seated(rng, blocks, OLD_BOTS, self.seats), np.zeros(OLD_BOTS))
        log = Results.of_tables(range(OLD_BOTS), [table])
        return Results(log.matches())


def held(rng: np.random.Generator, measured: Intervals[int], truth: FloatArray) -> Figures:
    """Return what a league's intervals hold in percent, and half the width of those of differences.

    truth (old bots and the newcomer,): Elo.
    """
    true = truth[NEWCOMER] - truth[:NEWCOMER]
    reach = Z_95 * measured.difference_se[NEWCOMER, :NEWCOMER]
    miss = np.abs(measured.difference[NEWCOMER, :NEWCOMER] - true)
    own = truth[NEWCOMER] - truth.mean()
    low, high = (int(ranks[NEWCOMER]) for ranks in rank_ranges(measured))
    # Bots of the same strength share the ranks from the first to the last of them.
    first, last = 1 + int((true < -1e-9).sum()), len(truth) - int((true > 1e-9).sum())
    return {
        "differences": 100 * float((miss <= reach).mean()),
        "Elo": 100.0 * bool(measured.low[NEWCOMER] <= own <= measured.high[NEWCOMER]),
        "rank": 100.0 * bool(low <= rng.integers(first, last + 1) <= high),
        "all ranks": 100.0 * (low <= first and last <= high),
        "±": float(reach.mean()),
    }


def simulate(
    world: World, old_blocks: int, new_blocks: int, leagues: int, seed: int = 0
) -> dict[str, Figures]:
    """Coverage of the official intervals and, in lucky leagues, of the luck-adjusted ones: means
    over the leagues."""
    rng = np.random.default_rng([seed, world.seats, world.equal, new_blocks])
    truth = world.truth(rng)
    found: dict[str, list[Figures]] = defaultdict(list)
    for number in range(leagues):
        kind = number % KINDS
        log = world.league(rng, old_blocks, new_blocks, kind)
        true = truth[[*range(OLD_BOTS), OLD_BOTS + kind]]
        counted = Aggregate.of(log)
        official = fit(counted)
        found["official"].append(held(rng, intervals(official, log), true))
        if world.measured:
            luck = luck_fit(official, counted)
            assert luck is not None
            adjusted = intervals(luck.fit, log, luck_taken=luck.taken)
            found["adjusted"].append(held(rng, adjusted, true))
    return {
        column: {name: fmean(figures) for name, figures in together(judged).items()}
        for column, judged in found.items()
    }


def worlds(seats: Sequence[int]) -> Iterator[tuple[str, World]]:
    """All kinds of leagues with their names."""
    for size in seats:
        for equal in (True, False):
            said = "equal" if equal else "unequal"
            yield f"{said}, independent", World(size, equal)
            yield f"{said}, clustered", World(size, equal, shared=1.0)
            yield f"{said}, lucky", World(size, equal, measured=1.5)


def main(
    leagues: int = 1000,
    seats: Sequence[int] = (2, 3, 6),
    blocks: Sequence[int] = (1, 2, 5, 10),
    old: int = 200,
) -> None:
    table = Table()
    for (name, world), new in product(worlds(seats), blocks):
        for column, figures in simulate(world, old, new, leagues).items():
            row = {"seats": world.seats, "league": name, "blocks": new, "intervals": column}
            table.add(row, figures)


def _seated(rng: np.random.Generator, tables: int, bots: int, seats: int) -> np.ndarray:
    """(tables, seats): different bots at each table."""
    return np.argsort(rng.random((tables, bots)), axis=1)[:, :seats]


if __name__ == "__main__":
    command(main)
