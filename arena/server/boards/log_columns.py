"""Results of one ladder as columns, from the rows of the database."""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.rating.elo import IntArray
from arena.rating.results import MatchColumns, Results, check_table
from arena.records import VersionId
from arena.server.boards.fault_counts import TROUBLED

SEATS: Final = np.dtype(
    [
        ("sequence", ">i8"),
        ("block", "V16"),
        ("seat", ">i2"),
        ("version", ">i4"),
        ("placing", ">i2"),
        ("luck", ">f8"),
        ("faults", ">i4"),
        ("forfeits", ">i4"),
    ]
)
"""A seat of a rated match, as `ladder_statements.rated_seats` selects it, in any order.

Luck that was not measured is NaN.
"""


@dataclass(frozen=True, slots=True)
class LogColumns:
    """Results of whole blocks, in the order of their rating events."""

    versions: tuple[VersionId, ...]
    """The versions that play; the tables hold indices into it."""
    tables: tuple[MatchColumns, ...]
    """The results by table size; blocks and matches are numbered from 0 within these results."""
    sequences: IntArray
    """(n,): the numbers of the rating events, ascending."""
    troubled: NDArray[Any]
    """The seats with faults or a forfeit, as TROUBLED."""

    def __len__(self) -> int:
        return len(self.sequences)

    def after(self, sequence: int) -> "LogColumns":
        """Return the results after a rating event."""
        first = int(np.searchsorted(self.sequences, sequence, side="right"))
        if not first:
            return self
        # The remaining results are numbered from 0 again.
        tables = (table.rows(table.numbers >= first) for table in self.tables)
        left = (replace(table, numbers=table.numbers - first) for table in tables if len(table))
        troubled = self.troubled[self.troubled["number"] >= first]
        troubled["number"] -= first
        return LogColumns(self.versions, tuple(left), self.sequences[first:], troubled)

    def latest(self, count: int) -> Results[VersionId]:
        """Return the last `count` results, as a log of ratings."""
        first = len(self) - count
        if first <= 0:
            return self.results()
        return self.after(int(self.sequences[first - 1])).results()

    def results(self) -> Results[VersionId]:
        """Return the results as a log of ratings."""
        return Results.of_tables(self.versions, self.tables)


def of_seats(rows: NDArray[Any]) -> LogColumns:
    """Return the results of rows of SEATS. Raises ResultError for one that cannot be rated."""
    rows = rows[np.lexsort((rows["seat"], rows["sequence"]))]
    sequence = rows["sequence"].astype(np.int64)
    starts = np.flatnonzero(np.r_[len(rows) > 0, sequence[1:] != sequence[:-1]][: len(rows)])
    sizes = np.diff(np.r_[starts, len(rows)])
    versions, bots = np.unique(rows["version"].astype(np.int64), return_inverse=True)
    blocks = _numbered(np.ascontiguousarray(rows["block"][starts]))
    tables = []
    for seats in np.unique(sizes).tolist():
        numbers = np.flatnonzero(sizes == seats)
        at = starts[numbers][:, None] + np.arange(seats)
        luck = rows["luck"][at].astype(np.float64)
        measured = np.isfinite(luck).all(axis=1)
        luck[~measured] = 0.0
        table = MatchColumns(
            bots[at].astype(np.int32),
            rows["placing"][at].astype(np.int16),
            blocks[numbers],
            numbers.astype(np.int64),
            luck if measured.any() else None,
        )
        check_table(table, len(versions))
        tables.append(table)
    ids = tuple(VersionId(version) for version in versions.tolist())
    some = np.flatnonzero((rows["faults"] > 0) | (rows["forfeits"] > 0))
    troubled = np.empty(len(some), TROUBLED)
    troubled["number"] = np.repeat(np.arange(len(starts)), sizes)[some]
    troubled["bot"] = bots[some]
    for name in ("faults", "forfeits"):
        troubled[name] = rows[name][some]
    return LogColumns(ids, tuple(tables), sequence[starts], troubled)


def _numbered(ids: NDArray[np.void]) -> IntArray:
    """Return a number from 0 for each id of 16 bytes; equal ids get the same number."""
    high, low = ids.view(">u8").reshape(-1, 2).astype(np.uint64).T
    order = np.lexsort((low, high))
    high, low = high[order], low[order]
    new = np.r_[False, (high[1:] != high[:-1]) | (low[1:] != low[:-1])][: len(ids)]
    numbers = np.empty(len(ids), np.int64)
    numbers[order] = np.cumsum(new)
    return numbers
