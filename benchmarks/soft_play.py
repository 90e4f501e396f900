"""False alarms and detection of `arena event similar`: soft play, by simulated finals.

In a field each bot has a mean loss of its own, each opponent makes others lose more or less, and
each pair has a difference of its own. A block has two matches of 10 decisions of a seat; two thirds
cost nothing, the others an exponential loss, which is larger or smaller for the whole block. One
bot of each field of a second kind loses on purpose against its friend: every tenth decision, or
every fourth, costs 20 % of a win more.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

import numpy as np

from arena.lab.analysis import SeatLoss, soft_play
from benchmarks.options import command
from benchmarks.tables import Table

DECISIONS: Final = 20
"""The decisions of a bot in a block."""


def main(fields: int = 1_000, bots: int = 20, blocks: int = 20, seed: int = 1) -> None:
    names = [f"bot {number}" for number in range(bots)]
    table = Table()
    for often in (0.0, 0.1, 0.25):
        random = np.random.default_rng([seed, round(often * 100)])
        alarms = found = 0
        for _ in range(fields):
            seats = _final(names, blocks, often, random)
            marked = {(one.bot, one.other) for one in soft_play(seats, names) if one.marked}
            found += ("bot 0", "bot 1") in marked
            alarms += bool(marked - {("bot 0", "bot 1")})
        row = {"decisions thrown": f"{often:.0%}", "finals": fields, "pair marked in": found}
        table.add(row, {"others marked in": alarms})


def _final(
    names: list[str], blocks: int, often: float, random: np.random.Generator
) -> Iterator[SeatLoss]:
    own = random.uniform(0.015, 0.06, len(names))
    against = random.normal(1, 0.15, len(names)).clip(0.5)
    for pair in combinations(range(len(names)), 2):
        for one, other in (pair, pair[::-1]):
            mean = own[one] * against[other] * max(0.3, random.normal(1, 0.15))
            for block in range(blocks):
                lossy = random.random(DECISIONS) < 1 / 3
                losses = lossy * random.exponential(3 * mean, DECISIONS) * random.gamma(4, 1 / 4)
                if (one, other) == (0, 1):
                    losses += 0.2 * (random.random(DECISIONS) < often)
                yield SeatLoss(
                    (pair, block), names[one], (names[other],), DECISIONS, float(losses.sum())
                )


if __name__ == "__main__":
    command(main)
