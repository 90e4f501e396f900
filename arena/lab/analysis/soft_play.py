"""Soft play: whether a bot loses more a decision against one other bot than its play explains.

The mean loss of bot a where b sits at its table is modelled as

    loss(a, b) = own(a) + against(b) + more(a, b) + error(a, b):

how much a loses, how much all bots lose against b, how the two styles interact, and chance. `own`
and `against` are fitted to all other pairs, so that a pair does not explain itself: by weighted
least squares with the weak priors WIDE (Henderson 1975; the additive model of two-way tables, Tukey
1949). The error of a pair is that of a ratio of sums over independent clusters, see `LossSums`. The
variance of `more` is chosen so that the median of the squared standardised residuals is the median
of chi-square (a method of moments after DerSimonian and Laird 1986, with the median). For the test
of an outlying pair, that pair is left out of this estimate, so that pairs that lose on purpose do
not hide themselves. The residual of a pair is tested one-sided by Student's t, whose degrees of
freedom are the pair's clusters minus one, and corrected by Holm (1979) for the number of ordered
pairs.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from arena.lab.analysis.decisions import AnalysedDecision
from arena.lab.analysis.loss_sums import Estimate, LossSums
from arena.lab.analysis.match_analysis import by_seat
from arena.rating.elo import FloatArray
from arena.rating.holm import holm

LEAST_CLUSTERS: Final = 10
LEAST_DECISIONS: Final = 30
"""A pair with fewer common clusters or decisions is not tested."""
MARKED: Final = 0.01
"""The corrected p-value below which a pair is marked."""
LEAST_PLAYERS: Final = 4
"""With fewer bots, a bot's own play cannot be told from its play against one other."""
_HALVINGS: Final = 16
_LEAST_ERROR: Final = 1e-6
_MEDIAN_OF_CHI_SQUARE: Final = 0.454936423119573
"""The median of the chi-square distribution with one degree of freedom."""
WIDE: Final = 0.1
"""The standard deviation of the priors, in chances to win a decision."""


@dataclass(frozen=True, slots=True)
class SeatLoss:
    """The decisions of a seat in a match."""

    cluster: Hashable
    """The block of the match, or the match: only clusters are independent of each other."""
    bot: str
    others: tuple[str, ...]
    decisions: int
    loss: float
    """The sum of their losses, in chances to win."""


@dataclass(frozen=True, slots=True)
class SoftPair:
    """The loss of a decision of `bot` where `other` sits at its table, and elsewhere."""

    bot: str
    other: str
    clusters: int
    decisions: int
    loss: Estimate
    elsewhere: Estimate
    """At tables without `other`."""
    more: Estimate
    """The loss beyond what the two bots' losses elsewhere explain."""
    p: float
    corrected: float = 1.0
    """`p`, corrected for the number of pairs."""

    @property
    def marked(self) -> bool:
        """Whether it loses significantly more than is explained, at the level MARKED."""
        return self.corrected < MARKED


def soft_play(played: Iterable[SeatLoss], among: Collection[str]) -> list[SoftPair]:
    """Return the ordered pairs of bots that met often enough, sorted by `p`.

    Args:
        played: All analysed seats, including those of bots that are not in `among`.
        among: The bots whose pairs are returned.
    """
    sums: dict[tuple[str, str], dict[Hashable, tuple[int, float]]] = defaultdict(dict)
    everything: dict[str, list[SeatLoss]] = defaultdict(list)
    for one in played:
        everything[one.bot].append(one)
        for other in {*one.others} - {one.bot}:
            decisions, loss = sums[one.bot, other].get(one.cluster, (0, 0.0))
            sums[one.bot, other][one.cluster] = decisions + one.decisions, loss + one.loss
    met = {
        pair: both
        for pair, by_cluster in sums.items()
        if (both := LossSums.of(by_cluster.values())).matches >= LEAST_CLUSTERS
        and both.decisions >= LEAST_DECISIONS
    }
    if len({bot for pair in met for bot in pair}) < LEAST_PLAYERS:
        return []
    found = []
    pairs = list(met)
    for pair, (more, p) in zip(pairs, _tested(pairs, [met[one] for one in pairs]), strict=True):
        bot, other = pair
        if bot in among and other in among:
            there = met[pair].by_decision
            clusters, decisions = met[pair].matches, met[pair].decisions
            away = _elsewhere(everything[bot], other)
            found.append(SoftPair(bot, other, clusters, decisions, there, away, more, p))
    corrected = holm([one.p for one in found])
    found = [replace(one, corrected=p) for one, p in zip(found, corrected, strict=True)]
    return sorted(found, key=lambda one: (one.p, one.bot, one.other))


def _elsewhere(seats: Iterable[SeatLoss], other: str) -> Estimate:
    by_cluster: dict[Hashable, tuple[int, float]] = {}
    for one in seats:
        if other not in one.others:
            decisions, loss = by_cluster.get(one.cluster, (0, 0.0))
            by_cluster[one.cluster] = decisions + one.decisions, loss + one.loss
    sums = LossSums.of(by_cluster.values())
    return sums.by_decision if sums.matches else Estimate(float("nan"), float("inf"))


def _tested(
    pairs: Sequence[tuple[str, str]], sums: Sequence[LossSums]
) -> list[tuple[Estimate, float]]:
    """Return the loss beyond the fit of each pair, and its p-value."""
    bots = sorted({bot for pair in pairs for bot in pair})
    place = {bot: number for number, bot in enumerate(bots)}
    # Columns: the mean, own(a), against(b).
    design = np.zeros((len(pairs), 1 + 2 * len(bots)))
    design[:, 0] = 1
    for row, (bot, other) in enumerate(pairs):
        design[row, 1 + place[bot]] = design[row, 1 + len(bots) + place[other]] = 1
    estimates = [one.by_decision for one in sums]
    loss = np.array([one.mean for one in estimates])
    # A pair that never lost anything has no variance of its own.
    error = np.array([one.error for one in estimates]) / 1.96
    error = np.maximum(error, max(np.median(error) / 4, _LEAST_ERROR))
    clusters = np.array([one.matches for one in sums])
    between = _between(design, loss, error)
    residual, variance = _left_out(design, loss, error, between)
    for row in np.flatnonzero(residual > np.sqrt(variance)).tolist():
        # An outlier must not inflate the variance that it is tested against.
        others = np.arange(len(pairs)) != row
        less = _between(design[others], loss[others], error[others])
        changed, narrower = _left_out(design, loss, error, less)
        residual[row], variance[row] = changed[row], narrower[row]
    spread = np.sqrt(variance)
    from scipy.special import stdtr, stdtrit  # takes half a second, rarely needed

    ps: FloatArray = np.asarray(stdtr(clusters - 1, -residual / spread))
    half: FloatArray = spread * stdtrit(clusters - 1, 0.975)
    return [
        (Estimate(float(one), float(width)), float(p))
        for one, width, p in zip(residual, half, ps, strict=True)
    ]


def _between(design: FloatArray, loss: FloatArray, error: FloatArray) -> float:
    """Return the variance of `more` that gives the median squared residual its expected value."""
    low, high = 0.0, WIDE**2
    for _ in range(_HALVINGS):
        between = (low + high) / 2
        residual, variance = _left_out(design, loss, error, between)
        if np.median(residual**2 / variance) > _MEDIAN_OF_CHI_SQUARE:
            low = between
        else:
            high = between
    return high


def _left_out(
    design: FloatArray, loss: FloatArray, error: FloatArray, between: float
) -> tuple[FloatArray, FloatArray]:
    """Return the residual of each pair from the fit to all others, and its variance."""
    prior = np.full(design.shape[1], WIDE**-2)
    prior[0] = 1e-6
    weight = 1 / (error**2 + between)
    inverse = np.linalg.inv(design.T * weight @ design + np.diag(prior))
    fit = design @ (inverse @ (design.T @ (weight * loss)))
    # By Sherman and Morrison: the fit without a row, from the fit with it.
    leverage = weight * np.einsum("ij,jk,ik->i", design, inverse, design)
    return (loss - fit) / (1 - leverage), 1 / (weight * (1 - leverage))


def seat_losses(
    cluster: Hashable, bots: Sequence[str], found: Sequence[AnalysedDecision]
) -> list[SeatLoss]:
    """Return the loss of each seat's decisions in a match, counting only those with values.

    Args:
        cluster: The block of the match, or the match.
        bots: The bots by seat.
        found: The decisions of the match.
    """
    return [
        SeatLoss(
            cluster,
            bots[seat],
            (*bots[:seat], *bots[seat + 1 :]),
            len(one.losses),
            sum(one.losses),
        )
        for seat, one in enumerate(by_seat(found, len(bots)))
        if one.losses
    ]
