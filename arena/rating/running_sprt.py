"""A running sequential test: blocks are added, and the test is evaluated from time to time.

It is evaluated after every block at first, and from LOOKED_AT_EACH blocks on after every 1 % more:
an evaluation costs as much as a match, and a test stops less than 1 % late. Fewer evaluations never
make errors more likely. The times do not depend on the clock, so the same blocks give the same
verdict.
"""

from collections import Counter
from fractions import Fraction

from arena.rating.confidence_sequence import confidence_sequence
from arena.rating.sprt import (
    PAIR_SCORES,
    BlockCounts,
    Bounds,
    EloDifference,
    Sprt,
    SprtState,
    estimate,
    sprt,
)

LOOKED_AT_EACH = 100


class RunningSprt:
    """A test of blocks of `matches_per_block` matches against `bounds`."""

    def __init__(self, bounds: Bounds, *, matches_per_block: int) -> None:
        self.blocks = 0
        self._bounds = bounds
        self._matches_per_block = matches_per_block
        self._counts = Counter({Fraction(score): 0 for score in PAIR_SCORES})
        self._next_look = 1

    @property
    def all_ties(self) -> bool:
        """Whether there were blocks, and all of them were ties (score 1/2)."""
        return 0 < self.blocks == self._counts[Fraction(1, 2)]

    @property
    def counts(self) -> dict[float, int]:
        """The number of occurrences of each block score."""
        return {float(score): self._counts[score] for score in sorted(self._counts)}

    def add(self, score: Fraction) -> Sprt | None:
        """Add a block's score, 0 to 1.

        Returns:
            The result of the test if an evaluation is due, else None.
        """
        self.blocks += 1
        self._counts[score] += 1
        if self.blocks < self._next_look:
            return None
        self._next_look = self.blocks + max(1, self.blocks // LOOKED_AT_EACH)
        return self.look()

    def look(self) -> Sprt:
        """Return the result of the test now.

        Raises:
            RatingError: The scores cannot reach the bounds.
        """
        return sprt(self._observed(), self._bounds)

    def estimate(self) -> EloDifference:
        """Return the difference by the blocks so far, with the effect of stopping removed."""
        return estimate(self._observed(), self._bounds)

    def mean_score(self) -> tuple[float, float, float]:
        """Return the mean block score, 0 to 1, and the ends of its 95 % confidence sequence."""
        total = float(sum(score * times for score, times in self._counts.items()))
        low, high = confidence_sequence(total, self.blocks)
        return (total / self.blocks if self.blocks else 0.5), low, high

    def _observed(self) -> BlockCounts:
        counts = self.counts
        return BlockCounts(tuple(counts), tuple(counts.values()), self._matches_per_block)


def decided(result: Sprt) -> bool:
    """Return whether the test stops with this result."""
    return result.state is not SprtState.CONTINUE
