"""`Strengths`: rough strengths of bots, learnt match by match, for the choice of tables.

The filter of Glicko (Glickman 1999) with one variance a bot: after a match, a strength moves by its
variance times the points beyond expectation. It depends on the order of matches and is not part of
any rating: the board fits all results anew (`arena.rating`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from arena.scheduling.ladder import MOST_KNOWN, TableType, forget_oldest

PRIOR_VARIANCE: Final = (350 / (400 / math.log(10))) ** 2
"""Nats²: strengths scatter with a standard deviation of 350 Elo, as in the board's prior."""
_INFORMATION: Final = 0.2
"""The precision that a match adds, per nat²: p (1 - p) is 0.25 among equals."""


@dataclass(slots=True)
class Strength:
    """A bot's strength at a table type."""

    mean: float = 0.0
    """Nats, from an arbitrary zero."""
    matches: int = 0
    """The number of matches that it was learnt from."""

    @property
    def variance(self) -> float:
        """Nats²."""
        return _variance(self.matches)


# Cached, also so that bots with the same number of matches share one float in memory: finding a
# table reads those of dozens of bots.
@lru_cache(maxsize=10_000)
def _variance(matches: int) -> float:
    return 1 / (1 / PRIOR_VARIANCE + _INFORMATION * matches)


class Strengths:
    """The strengths of bots by table type; at most `most` are kept, those learnt last.

    An unknown bot has the prior: an average strength with PRIOR_VARIANCE.
    """

    def __init__(self, most: int = MOST_KNOWN) -> None:
        self._most = most
        self._known: dict[tuple[str, int], Strength] = {}

    def __len__(self) -> int:
        """Return the number of known strengths."""
        return len(self._known)

    def of(self, table_type: TableType, bot: int) -> Strength:
        """Return the strength of a bot, which the caller must not change."""
        return self._known.get((table_type.key, bot)) or Strength()

    def learn(self, table_type: TableType, bots: Sequence[int], placings: Sequence[int]) -> None:
        """Learn from a match; bots and placings (1 is best) are by seat."""
        known = [self.of(table_type, bot) for bot in bots]
        for bot, one in zip(bots, known, strict=True):
            self._known.pop((table_type.key, bot), None)
            self._known[table_type.key, bot] = one  # moved to the end: learnt last
        forget_oldest(self._known, self._most)
        moves = []
        for one, place in zip(known, placings, strict=True):
            beyond = 0.0
            for other, theirs in zip(known, placings, strict=True):
                if other is not one:
                    taken = 1.0 if place < theirs else 0.5 if place == theirs else 0.0
                    beyond += taken - chance(one.mean, other.mean)
            # The pairs of a match are not independent: together they are one piece of evidence.
            moves.append(one.variance * beyond / max(1, len(known) - 1))
        for one, by in zip(known, moves, strict=True):
            one.mean += by
            one.matches += 1


def chance(one: float, other: float) -> float:
    """Return the probability that `one` is placed above `other`, for strengths in nats."""
    return 1 / (1 + math.exp(min(50.0, other - one)))
