"""Sums of the losses of decisions, from which mean losses and their intervals follow."""

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

    They are the numbers of matches and decisions, the losses, and the sums of squares and products
    of decisions and losses. Losses are in chances to win.
    """

    matches: int
    decisions: int
    loss: float
    decisions_squares: float
    loss_squares: float
    products: float

    @classmethod
    def of(cls, matches: Iterable[tuple[int, float]]) -> "LossSums":
        """Return the sums over matches.

        Args:
            matches: The number of decisions of each match, and their total loss.
        """
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
        """The mean loss of a decision, with its interval.

        A match is one cluster: the error is that of a ratio of sums, by its linearisation (Cochran
        1977, section 6.4). There must be a match.
        """
        mean = self.loss / self.decisions
        squares = self.loss_squares - 2 * mean * self.products + mean**2 * self.decisions_squares
        return Estimate(mean, self._error(squares) * self.matches / self.decisions)

    @property
    def by_match(self) -> Estimate:
        """The mean loss of all decisions of a match, with its interval. There must be a match."""
        mean = self.loss / self.matches
        return Estimate(mean, self._error(self.loss_squares - self.matches * mean**2))

    def _error(self, squares: float) -> float:
        """Return half the 95 % interval of a mean over the matches, by its squared deviations.

        It is infinite for a single match.
        """
        if self.matches < 2:
            return inf
        return _Z * sqrt(max(0.0, squares) / (self.matches - 1) / self.matches)
