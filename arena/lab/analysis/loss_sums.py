"""Sums of what decisions cost, from which mean losses and their intervals follow."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, sqrt
from typing import NamedTuple

_Z = 1.96


class Estimate(NamedTuple):
    """A mean and half the width of its 95 % interval."""

    mean: float
    error: float


@dataclass(frozen=True, slots=True)
class LossSums:
    """Sums over matches with at least one decision.

    How many there are, their decisions and losses, and the sums of squares and products of the two.
    Losses are in chances to win.
    """

    matches: int
    decisions: int
    loss: float
    decisions_squares: float
    loss_squares: float
    products: float

    @classmethod
    def of(cls, matches: Iterable[tuple[int, float]]) -> "LossSums":
        """Return the sums over matches, each given as its decisions and their cost together."""
        played = [(decisions, loss) for decisions, loss in matches if decisions]
        return cls(
            len(played),
            sum(decisions for decisions, _ in played),
            sum(loss for _, loss in played),
            sum(decisions**2 for decisions, _ in played),
            sum(loss**2 for _, loss in played),
            sum(decisions * loss for decisions, loss in played),
        )

    @property
    def by_decision(self) -> Estimate:
        """What a decision costs.

        A match is one cluster: the error is that of a ratio of sums, by its linearisation (Cochran
        1977, section 6.4). There must be a match.
        """
        mean = self.loss / self.decisions
        squares = self.loss_squares - 2 * mean * self.products + mean**2 * self.decisions_squares
        return Estimate(mean, self._error(squares) * self.matches / self.decisions)

    @property
    def by_match(self) -> Estimate:
        """What all decisions of a match cost. There must be a match."""
        mean = self.loss / self.matches
        return Estimate(mean, self._error(self.loss_squares - self.matches * mean**2))

    def _error(self, squares: float) -> float:
        """Half the 95 % interval of a mean over the matches, by the squared deviations from it.

        Infinite for a single match.
        """
        if self.matches < 2:
            return inf
        return _Z * sqrt(max(0.0, squares) / (self.matches - 1) / self.matches)
