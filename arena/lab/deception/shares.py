"""Shares of decisions, with 95 % intervals that allow for correlation within a match."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.rating.elo import Z_95
from arena.rating.head_to_head import wilson

Counts = NDArray[np.int64]
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Share:
    """How often something happened, with its 95 % interval."""

    count: int
    of: int
    low: float
    high: float

    @property
    def share(self) -> float | None:
        """The share, 0 to 1; None if `of` is 0."""
        return self.count / self.of if self.of else None


def share_of(counts: Sequence[int] | Counts, of: Sequence[int] | Counts) -> Share:
    """Return a share of decisions, with an interval that treats a cluster as one observation.

    The interval is that of Wilson (1927) for the effective sample size, the number of independent
    decisions with the variance that the clusters show. It uses the t quantile, whose degrees of
    freedom are the clusters minus one (Korn and Graubard 1998; compared by Dean and Pagano 2015).
    The variance is that of a ratio of sums (Cochran 1977, section 6.4). Where it is 0, because the
    share is the same in every cluster, the correlation within clusters is unknown, and a cluster
    counts as one decision.

    Args:
        counts: How often it happened in each cluster.
        of: How often it could have happened in each cluster; clusters with 0 are left out.

    Returns:
        The share; its interval is 0 to 1 with fewer than two clusters.
    """
    found, possible = np.asarray(counts, dtype=float), np.asarray(of, dtype=float)
    found, possible = found[possible > 0], possible[possible > 0]
    count, total, clusters = float(found.sum()), float(possible.sum()), len(possible)
    if clusters < 2:
        return Share(int(count), int(total), 0.0, 1.0)
    share = count / total
    squares = float(((found - share * possible) ** 2).sum())
    if squares > _ROUNDING * total:
        variance = squares * clusters / (clusters - 1) / total**2
        independent = min(total, share * (1 - share) / variance)
    else:
        independent = float(clusters)
    z = t_quantile(clusters - 1)
    low, high = wilson(np.array(share * independent), np.array(independent), z)
    return Share(int(count), int(total), float(low), float(high))


def t_quantile(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t (Abramowitz and Stegun 1964, 26.7.5).

    The error is below 1 % from three degrees of freedom on. SciPy's takes half a second to import.
    """
    z = Z_95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return float(z + sum(term / freedom**power for power, term in enumerate(terms, start=1)))
