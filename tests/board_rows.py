"""Rated results written by hand, as the columns in which a board reads them from the database."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, repeat
from math import nan

import numpy as np

from arena.records import VersionId
from arena.server.boards.log_columns import SEATS, LogColumns, of_seats


@dataclass(frozen=True)
class Row:
    """A rated result; the sequences are by seat."""

    sequence: int
    match_id: str
    block_id: str
    version_ids: list[VersionId]
    placings: list[int]
    luck: list[float] | None = None

    def __post_init__(self) -> None:
        assert len(self.version_ids) == len(self.placings) >= len(self.luck or ())


def columns(rows: Iterable[Row]) -> LogColumns:
    """The results of rows, without faults; as in SQL, luck that is missing is NaN."""
    seats = [
        (row.sequence, blake2b(row.block_id.encode(), digest_size=16).digest(), seat, *found, 0, 0)
        for row in rows
        for seat, found in enumerate(
            zip(row.version_ids, row.placings, chain(row.luck or (), repeat(nan)), strict=False)
        )
    ]
    return of_seats(np.array(seats, SEATS))
