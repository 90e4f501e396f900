"""The distance of a bot's bluffs and doubts from those of solved play in the same places.

In each decision solved play bluffs with some probability, doubts with another, and otherwise makes
a claim that is no bluff. A cell is a set of similar places. In each cell, the bot's shares of the
three are compared with the means of those probabilities: half the sum of the absolute differences
is their total variation distance. The mean over cells, weighted by their decisions, is the
distance. It is at most the mean distance of single decisions, because within a cell, what a bot
does too often with one hand and too rarely with another cancels out.

Solved play itself has a positive distance by chance: the differences of a cell have mean zero, and
given the places they are sums of uncorrelated terms with the variances p (1 - p), so their mean
absolute value is nearly sqrt(2 / pi) standard deviations.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import pi, sqrt
from typing import Final, NamedTuple

import numpy as np

from arena.lab.analysis import Estimate, LossSums

_HALF_NORMAL: Final = sqrt(2 / pi)
"""The mean absolute value of a standard normal variable."""


class SolvedChoice(NamedTuple):
    """What a bot did in a place that solved play knows."""

    cluster: int
    cell: Hashable
    bluffed: bool
    doubted: bool
    bluffs: float
    """The probability that solved play bluffs."""
    doubts: float | None
    """The probability that it doubts; None where nothing may be doubted."""


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """A bot's bluffs and doubts beside those of solved play in the same places."""

    decisions: int
    """The number of decisions in which it could claim and solved play is known."""
    bluffs: Estimate
    """The share in which it bluffed."""
    solved_bluffs: float
    """The mean probability that solved play bluffs."""
    bluffs_difference: Estimate
    """`bluffs` minus `solved_bluffs`."""
    doubts: Estimate | None
    """The share in which it doubted, of those in which it could also doubt; None if it never could.
    """
    solved_doubts: float | None
    doubts_difference: Estimate | None
    distance: Estimate
    """The total variation distance, 0 to 1."""
    by_chance: float
    """The distance that solved play itself would have on average."""


def equilibrium_of(choices: Sequence[SolvedChoice]) -> Equilibrium | None:
    """Return how a bot's choices compare with solved play; None without choices.

    Intervals are 95 % intervals that treat each cluster of choices as one observation.
    """
    if not choices:
        return None
    answers = [one for one in choices if one.doubts is not None]
    distance, by_chance = _distance(choices)
    return Equilibrium(
        len(choices),
        _mean(choices, [one.bluffed for one in choices]),
        sum(one.bluffs for one in choices) / len(choices),
        _mean(choices, [one.bluffed - one.bluffs for one in choices]),
        _mean(answers, [one.doubted for one in answers]) if answers else None,
        sum(one.doubts or 0.0 for one in answers) / len(answers) if answers else None,
        _mean(answers, [one.doubted - (one.doubts or 0.0) for one in answers]) if answers else None,
        distance,
        by_chance,
    )


def _distance(choices: Sequence[SolvedChoice]) -> tuple[Estimate, float]:
    """Return the distance, and its mean for solved play."""
    numbers = {cell: number for number, cell in enumerate({one.cell for one in choices})}
    cells = np.array([numbers[one.cell] for one in choices])
    solved = np.array([(one.bluffs, one.doubts or 0.0) for one in choices])
    solved = np.column_stack((solved, 1 - solved.sum(axis=1))).clip(0, 1)
    taken = np.array([(one.bluffed, one.doubted) for one in choices], dtype=float)
    taken = np.column_stack((taken, 1 - taken.sum(axis=1)))
    more = np.zeros((len(numbers), 3))
    np.add.at(more, cells, taken - solved)
    variances = np.zeros((len(numbers), 3))
    np.add.at(variances, cells, solved * (1 - solved))
    # Given the signs of the cells' differences, it is a mean over decisions, with its interval.
    scores = ((taken - solved) * np.sign(more)[cells]).sum(axis=1) / 2
    by_chance = _HALF_NORMAL * float(np.sqrt(variances).sum()) / 2 / len(choices)
    return _mean(choices, scores.tolist()), by_chance


def _mean(choices: Sequence[SolvedChoice], values: Sequence[float]) -> Estimate:
    """Return the mean of a value of each choice, with its interval by cluster."""
    sums: dict[int, tuple[int, float]] = {}
    for one, value in zip(choices, values, strict=True):
        number, total = sums.get(one.cluster, (0, 0.0))
        sums[one.cluster] = number + 1, total + value
    return LossSums.of(sums.values()).by_decision
