"""Comparison of the boards made from checkpoints with boards computed from the whole log.

The second computation shares only the log and the fit with the boards: its intervals are made from
the score vector of every block.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.database.reading import ColumnReader, open_reader
from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Fit, fit
from arena.rating.elo import FloatArray, IntArray
from arena.rating.intervals import Intervals, intervals
from arena.rating.ladder_id import LadderId
from arena.rating.luck_column import LuckColumn, luck_column, luck_fit
from arena.records import VersionId
from arena.server.boards import ladder_statements
from arena.server.boards.fault_counts import FaultColumns
from arena.server.boards.ladder_log import read_board, read_log, registered

CLOSE: Final = 1e-9
"""The largest difference that is a rounding error, in Elo or relative to the largest covariance."""


@dataclass(frozen=True, slots=True)
class BoardCheck:
    """The largest differences between a ladder's checkpoint, brought up to date, and its log."""

    ladder: LadderId
    matches: int
    checkpoint: int | None
    """The last rating event in the checkpoint; None if there is none."""
    counts: float
    """The difference in wins, ties, matches and clusters by bot or pair.

    It is at least 1 if different bots are provisional, and 1 more if faults differ.
    """
    elo: float
    """The difference in Elo, luck-adjusted Elo included."""
    covariance: float
    """The difference in covariances relative to the largest covariance.

    It includes the variances of the luck-adjusted Elo.
    """

    @property
    def correct(self) -> bool:
        """Whether all differences are rounding errors."""
        return self.counts == 0 and max(self.elo, self.covariance) <= CLOSE


def check_board(read: ColumnReader, ladder: LadderId) -> BoardCheck:
    """Compare a ladder's checkpoint with its log. Raises StorageError."""
    (end,) = read(ladder_statements.log_end())
    board, sequence = read_board(read, ladder, end.revision, end.sequence)
    whole = read_log(read, ladder, up_to=end.sequence)
    if not len(whole):
        return BoardCheck(ladder, 0, sequence, float(len(board)), 0.0, 0.0)
    shown = board.ladder(registered(read, board.aggregate.bots)).intervals
    results = whole.results()
    counted = Aggregate.of(results, ladder.score)
    official = intervals(fit(counted, anchor=shown.fit.anchor), results)
    lucky = luck_fit(official.fit, counted)
    column = None if lucky is None else luck_column(lucky, official, results)
    adjusted = board.luck_column
    if set(shown.fit.bots) != set(official.fit.bots) or (adjusted is None) != (column is None):
        return BoardCheck(ladder, len(whole), sequence, float("inf"), 0.0, 0.0)
    elo, covariance = _elo(shown.fit, official.fit), _covariances(shown, official)
    if adjusted is not None and column is not None:
        elo = max(elo, _elo(adjusted.luck.fit, column.luck.fit))
        covariance = max(covariance, _variances(adjusted, column))
    faults = FaultColumns()
    faults.add(whole.troubled["bot"], whole.troubled)
    counts = abs(len(board) - len(whole)) + _counts(shown, official)
    counts += board.faults() != faults.by_version(whole.versions)
    return BoardCheck(ladder, len(whole), sequence, counts, elo, covariance)


def check_board_at(url: str, ladder: LadderId) -> BoardCheck:
    """Compare a ladder's checkpoint with its log over a reader of its own.

    This lets several processes share the work. Raises StorageError.
    """
    with open_reader(url) as read:
        return check_board(read, ladder)


def _counts(one: Intervals[VersionId], other: Intervals[VersionId]) -> float:
    first, second = _order(one.fit), _order(other.fit)
    by_bot = (
        (one.fit.matches, other.fit.matches),
        (one.evidence, other.evidence),
        (one.support.provisional.astype(np.int64), other.support.provisional.astype(np.int64)),
    )
    by_pair = ((one.fit.wins, other.fit.wins), (one.fit.ties, other.fit.ties))
    return max(
        *(_most(mine[first], theirs[second]) for mine, theirs in by_bot),
        *(
            _most(mine[np.ix_(first, first)], theirs[np.ix_(second, second)])
            for mine, theirs in by_pair
        ),
    )


def _elo(one: Fit[VersionId], other: Fit[VersionId]) -> float:
    return _most(one.elo[_order(one)], other.elo[_order(other)])


def _covariances(one: Intervals[VersionId], other: Intervals[VersionId]) -> float:
    """Return the largest difference in covariances, relative to the largest covariance."""
    first, second = _order(one.fit), _order(other.fit)
    mine, theirs = one.covariance[np.ix_(first, first)], other.covariance[np.ix_(second, second)]
    return _most(mine, theirs) / max(float(np.abs(theirs).max()), 1.0)


def _variances(one: LuckColumn[VersionId], other: LuckColumn[VersionId]) -> float:
    """Return the largest difference in variances, relative to the largest variance."""
    mine = one.se[_order(one.luck.fit)] ** 2
    theirs = other.se[_order(other.luck.fit)] ** 2
    return _most(mine, theirs) / max(float(theirs.max()), 1.0)


def _order(fitted: Fit[VersionId]) -> IntArray:
    return np.argsort(np.array(fitted.bots))


def _most(one: FloatArray | IntArray, other: FloatArray | IntArray) -> float:
    return float(np.abs(one - other).max())
