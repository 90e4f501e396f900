"""Points of tournaments, computed from the placings of matches, blocks and pairings.

Points are fractions, not floats, so that equality is exact and a schedule that depends on it is the
same on every machine.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from arena.match.score_rule import ScoreRule


def points(placing: Sequence[int], rule: ScoreRule) -> tuple[Fraction, ...]:
    """Return the points by seat, 0 to 1, from ranks by seat: 1 is best, ties are equal.

    With two seats both rules are the same: 1, 1/2 or 0.
    """
    match rule:
        case ScoreRule.PLACEMENT:
            others = len(placing) - 1
            return tuple(
                Fraction(
                    2 * sum(other > rank for other in placing) + placing.count(rank) - 1, 2 * others
                )
                for rank in placing
            )
        case ScoreRule.WINNER:
            best = min(placing)
            firsts = placing.count(best)
            return tuple(Fraction(rank == best, firsts) for rank in placing)
        case _:
            assert_never(rule)


def block_points(placings: Sequence[Sequence[int]], rule: ScoreRule) -> tuple[Fraction, ...]:
    """Return the mean points over the matches of a block.

    Each match's ranks are in the order of bots.
    """
    return mean([points(placing, rule) for placing in placings])


def walkover(absent: Sequence[bool], rule: ScoreRule) -> tuple[Fraction, ...]:
    """Return the points of a block not played because bots withdrew: these last, others level."""
    return points([1 + gone for gone in absent], rule)


def ranks(totals: Sequence[Fraction]) -> tuple[int, ...]:
    """Return the ranks by seat: 1 + the number of strictly higher totals."""
    return tuple(1 + sum(other > own for other in totals) for own in totals)


def mean(rows: Sequence[Sequence[Fraction]]) -> tuple[Fraction, ...]:
    """Return the mean of each column."""
    return tuple(sum(column, Fraction(0)) / len(rows) for column in zip(*rows, strict=True))
