"""A sequential test while it runs: block after block goes in, and now and then it is looked at.

Looked at after every block at first, and from LOOKED_AT_EACH blocks on whenever there are 1 % more:
a look costs as much as a match, and where it comes too late it comes less than 1 % too late. Fewer
looks never make the errors more likely. When it looks does not depend on the clock, so the same
blocks end in the same verdict.
"""

from collections import Counter
from fractions import Fraction

from arena.rating.sprt import PAIR_SCORES, BlockCounts, Bounds, Sprt, SprtState, sprt

LOOKED_AT_EACH = 100


class Trial:
    """Blocks of `matches_per_block` matches, tested against `bounds`."""

    def __init__(self, bounds: Bounds, *, matches_per_block: int) -> None:
        self.blocks = 0
        self._bounds = bounds
        self._matches_per_block = matches_per_block
        self._counts = Counter({Fraction(score): 0 for score in PAIR_SCORES})
        self._next_look = 1

    @property
    def all_ties(self) -> bool:
        """Whether there were blocks, and none made any difference."""
        return 0 < self.blocks == self._counts[Fraction(1, 2)]

    @property
    def counts(self) -> dict[float, int]:
        """How often each block score came."""
        return {float(score): self._counts[score] for score in sorted(self._counts)}

    def add(self, score: Fraction) -> Sprt | None:
        """Take in a block's score, 0 … 1; where the test stands, if it is time to look."""
        self.blocks += 1
        self._counts[score] += 1
        if self.blocks < self._next_look:
            return None
        self._next_look = self.blocks + max(1, self.blocks // LOOKED_AT_EACH)
        return self.look()

    def look(self) -> Sprt:
        """Where the test stands. Raises RatingError for bounds that no block scores reach."""
        counts = self.counts
        observed = BlockCounts(tuple(counts), tuple(counts.values()), self._matches_per_block)
        return sprt(observed, self._bounds)


def decided(standing: Sprt) -> bool:
    """Whether the test stops."""
    return standing.state is not SprtState.CONTINUE
