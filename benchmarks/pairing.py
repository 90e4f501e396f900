"""Benchmark of pairing: how many matches the ladder's choice of opponents saves.

Arenas are simulated: every bot has four places, blocks of two take a random time, and results are
drawn from true strengths of a normal distribution. The arena's choice is compared with an even one:
the bot with the fewest matches meets the bot that it has met least. Both look for tables when a
tenth of the running blocks have ended. The benchmark prints how many fewer matches give intervals
of the same width, for the intervals to the mean and for those between neighbours in rank: 1 minus
the ratio of the mean squared standard errors after equally many matches, by the Fisher information
of the matches played. It also prints the share of pairs that met. Arenas of up to ten bots are
simulated ten times as often.
"""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Final, NamedTuple

import numpy as np

from arena.games import make_game
from arena.rating.bradley_terry import PRIOR_SD, hessian, prior_precision
from arena.rating.elo import ELO_PER_NAT, win_probabilities
from arena.scheduling.free_bots import FreeBots
from arena.scheduling.ladder import Candidate, MeetingCounts, TableType
from arena.scheduling.strengths import Strengths, chance
from benchmarks.options import command
from benchmarks.tables import Table

PLACES: Final = 4
GATHERED: Final = 0.1
TYPE: Final = TableType("bluff", make_game("bluff").options, 2)


@dataclass(slots=True)
class Even:
    """The even choice."""

    counts: MeetingCounts
    free: dict[int, Candidate] = field(default_factory=dict)

    def put(self, candidate: Candidate) -> None:
        self.free[candidate.bot] = candidate

    def drop(self, bot: int) -> None:
        self.free.pop(bot, None)

    def choose(self, may_sit: Callable[[Candidate, Candidate], bool]) -> tuple[Candidate, ...]:
        """The next table; empty if there is none."""
        able = sorted(self.free.values(), key=lambda one: self.counts.matches(TYPE, one.bot))
        for first in able:
            others = [one for one in able if one is not first and may_sit(first, one)]
            if others:
                met = self.counts.meetings
                return first, min(others, key=lambda one: met(TYPE, first.bot, one.bot))
        return ()


class Near:
    """The arena's choice."""

    def __init__(self, counts: MeetingCounts, strengths: Strengths) -> None:
        self._free = FreeBots(TYPE, counts, strengths)
        self.put, self.drop = self._free.put, self._free.drop

    def choose(self, may_sit: Callable[[Candidate, Candidate], bool]) -> tuple[Candidate, ...]:
        """The next table; empty if there is none."""
        chosen = self._free.choose(may_sit)
        if chosen is None:
            self._free.look_again()
            return ()
        self._free.opened(chosen)
        return chosen.bots


class Found(NamedTuple):
    """What a simulation gave."""

    squared_error: float
    """Of the Elo relative to the mean, in Elo², averaged over the bots."""
    between_neighbours: float
    met: float


def simulated(bots: int, spread: float, matches: int, seed: int, *, near: bool) -> Found:
    """Simulate an arena until each bot has `matches` matches on average."""
    rng = Random(seed)
    truth = [rng.gauss(0, spread) / ELO_PER_NAT for _ in range(bots)]
    counts, strengths = MeetingCounts(), Strengths()
    candidates = [Candidate(n, f"owner{n}", False, frozenset({"bluff"})) for n in range(bots)]
    pool = Near(counts, strengths) if near else Even(counts)
    for one in candidates:
        pool.put(one)
    share, places = math.ceil(PLACES / (bots - 1)), [PLACES] * bots
    running = dict.fromkeys(((a, b) for a in range(bots) for b in range(a)), 0)

    def may_sit(one: Candidate, other: Candidate) -> bool:
        return running[max(one.bot, other.bot), min(one.bot, other.bot)] < share

    played = np.zeros((bots, bots))
    ends: list[tuple[float, int, int, int]] = []
    now, opened, ended = 0.0, 0, 0
    while opened < bots * matches / 4 or ends:
        if opened < bots * matches / 4 and ended >= GATHERED * len(ends):
            ended = 0
            while tables := pool.choose(may_sit):
                a, b = sorted((one.bot for one in tables), reverse=True)
                opened += 1
                counts.add(TYPE, (a, b))
                running[a, b] += 1
                heapq.heappush(ends, (now + rng.uniform(0.5, 2), opened, a, b))
                for one in tables:
                    places[one.bot] -= 1
                    (pool.put(one) if places[one.bot] else pool.drop(one.bot))
        now, _, a, b = heapq.heappop(ends)
        ended += 1
        running[a, b] -= 1
        played[a, b] += 2
        for _ in range(2):
            won = rng.random() < chance(truth[a], truth[b])
            strengths.learn(TYPE, (a, b), (1, 2) if won else (2, 1))
        for bot in (a, b):
            places[bot] += 1
            pool.put(candidates[bot])
    return _found(np.array(truth), played + played.T)


def _found(truth: np.ndarray, played: np.ndarray) -> Found:
    bots = len(truth)
    information = hessian(played, win_probabilities(truth), prior_precision(PRIOR_SD))
    errors = np.linalg.inv(information)
    centred = np.eye(bots) - 1 / bots
    order = np.argsort(truth)
    low, high = order[:-1], order[1:]
    between = errors[low, low] + errors[high, high] - 2 * errors[low, high]
    return Found(
        ELO_PER_NAT**2 * float(np.diag(centred @ errors @ centred).mean()),
        ELO_PER_NAT**2 * float(between.mean()),
        float((played > 0).sum() / (bots * (bots - 1))),
    )


def main(
    bots: Sequence[int] = (10, 100, 1_000),
    spread: Sequence[float] = (200.0, 350.0),
    matches: int = 200,
    runs: int = 2,
) -> None:
    table = Table()
    for count, elo in product(bots, spread):
        seeds = range(runs * (10 if count <= 10 else 1))
        even, near = (
            np.mean([simulated(count, elo, matches, seed, near=near) for seed in seeds], axis=0)
            for near in (False, True)
        )
        saved = 100 * (1 - near / even)
        row = {"bots": count, "spread, Elo": elo, "to the mean, %": float(saved[0])}
        met = {"pairs met, %": float(100 * near[2]), "of the even choice": float(100 * even[2])}
        table.add(row, {"neighbours, %": float(saved[1])}, met)


if __name__ == "__main__":
    command(main)
