"""What a reader must know before believing a bot's rating."""

from enum import StrEnum

from arena.rating.intervals import Intervals
from arena.rating.links import strong_groups
from arena.rating.results import BotT

FEW_CLUSTERS = 20
"""Below, the sandwich underestimates: a variance from so few pieces is itself uncertain."""


class Flag(StrEnum):
    """PERFECT_SCORE, ZERO_SCORE: no point lost or taken; the rating is held by the prior alone.

    SEPARATE_POOL: never met, even over others, the largest group; differences to it are a guess of
    the prior. ONE_SIDED: as a group, only took or only lost points against the rest; the distance
    is held by the prior alone. FEW_CLUSTERS: an interval from fewer than 20 independent pieces.
    """

    PERFECT_SCORE = "perfect score"
    ZERO_SCORE = "zero score"
    SEPARATE_POOL = "separate pool"
    ONE_SIDED = "one-sided"
    FEW_CLUSTERS = "few clusters"


def flags(intervals: Intervals[BotT]) -> tuple[frozenset[Flag], ...]:
    """Per bot of the fit, its flags; mostly none."""
    fit = intervals.fit
    score = fit.score
    found: list[set[Flag]] = [set() for _ in fit.bots]
    for index in range(len(fit.bots)):
        if not score[:, index].any():
            found[index].add(Flag.PERFECT_SCORE)
        if not score[index].any():
            found[index].add(Flag.ZERO_SCORE)
        if intervals.evidence[index] < FEW_CLUSTERS:
            found[index].add(Flag.FEW_CLUSTERS)
    took = score > 0
    for group in _all_but_the_largest(strong_groups(took | took.T)):
        for index in group:
            found[index].add(Flag.SEPARATE_POOL)
    for group in _all_but_the_largest(strong_groups(took)):
        for index in group:
            if not found[index] - {Flag.FEW_CLUSTERS}:
                found[index].add(Flag.ONE_SIDED)
    return tuple(frozenset(flags) for flags in found)


def _all_but_the_largest(groups: list[list[int]]) -> list[list[int]]:
    """All groups but the largest; all, when none is larger than the others: the order in which
    bots came must not decide whom a flag falls on."""
    tied = len(groups) > 1 and len(groups[0]) == len(groups[1])
    return groups if tied else groups[1:]
