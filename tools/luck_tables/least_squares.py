"""Least squares in fractions, so that luck tables do not depend on a machine's rounding."""

from collections.abc import Sequence
from fractions import Fraction


class Products:
    """The sums of products over samples of integers, from which least squares is solved."""

    def __init__(self, size: int) -> None:
        self._squares = [[0] * size for _ in range(size)]
        self._right = [0] * size

    def add(self, counts: Sequence[int], outcome: int) -> None:
        """Add one sample."""
        known = [(at, count) for at, count in enumerate(counts) if count]
        for at, count in known:
            self._right[at] += count * outcome
            row = self._squares[at]
            for other, more in known:
                row[other] += count * more

    def solve(self, shrink: int = 0) -> list[Fraction]:
        """The slopes, shrunk towards 0 by `shrink` on the diagonal."""
        rows = [
            [Fraction(value + shrink * (at == place)) for place, value in enumerate(row)]
            + [Fraction(right)]
            for at, (row, right) in enumerate(zip(self._squares, self._right, strict=True))
        ]
        for at in range(len(rows)):
            rows[at] = [value / rows[at][at] for value in rows[at]]
            for other in range(len(rows)):
                factor = rows[other][at]
                if other != at and factor:
                    pairs = zip(rows[other], rows[at], strict=True)
                    rows[other] = [value - factor * above for value, above in pairs]
        return [row[-1] for row in rows]
