"""Flags of a rating: reasons to doubt it."""

from enum import StrEnum

import numpy as np

from arena.rating.intervals import Intervals
from arena.rating.links import strong_groups
from arena.rating.results import BotT


class Flag(StrEnum):
    """A reason to doubt a rating.

    PERFECT_SCORE, ZERO_SCORE: no point lost or taken; only the prior keeps the rating finite.
    SEPARATE_POOL: never met the largest group, not even through others; differences to it come from
    the prior. ONE_SIDED: as a group, only took or only lost points against the rest; only the prior
    keeps the distance finite. PROVISIONAL: fewer than 20 independent clusters link the bot to the
    largest group of bots that are linked to each other by at least as many.
    """

    PERFECT_SCORE = "perfect score"
    ZERO_SCORE = "zero score"
    SEPARATE_POOL = "separate pool"
    ONE_SIDED = "one-sided"
    PROVISIONAL = "provisional"


def flags(intervals: Intervals[BotT]) -> tuple[frozenset[Flag], ...]:
    """Return the flags of each bot of the fit; most have none."""
    fit = intervals.fit
    took = (fit.wins > 0) | (fit.ties > 0)
    found: list[set[Flag]] = [set() for _ in fit.bots]
    for flag, those in (
        (Flag.PERFECT_SCORE, ~took.any(axis=0)),
        (Flag.ZERO_SCORE, ~took.any(axis=1)),
        (Flag.PROVISIONAL, intervals.support.provisional),
    ):
        for index in np.flatnonzero(those).tolist():
            found[index].add(flag)
    for group in _all_but_the_largest(strong_groups(took | took.T)):
        for index in group:
            found[index].add(Flag.SEPARATE_POOL)
    for group in _all_but_the_largest(strong_groups(took)):
        for index in group:
            if not found[index] - {Flag.PROVISIONAL}:
                found[index].add(Flag.ONE_SIDED)
    return tuple(frozenset(flags) for flags in found)


def _all_but_the_largest(groups: list[list[int]]) -> list[list[int]]:
    """Return all groups except the largest; all groups if several are the largest.

    So flags do not depend on the order of the bots.
    """
    tied = len(groups) > 1 and len(groups[0]) == len(groups[1])
    return groups if tied else groups[1:]
