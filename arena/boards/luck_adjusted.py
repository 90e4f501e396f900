"""The board's second column: Elo with the luck of the draws taken out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from arena.luck import TableName, table_of
from arena.rating.elo import FloatArray
from arena.rating.luck_column import LuckColumn
from arena.records import VersionId


@dataclass(frozen=True, slots=True)
class LuckAdjusted:
    """It stands beside the official Elo, by which lines are ranked, and is never shown alone."""

    elo: float
    interval: tuple[float, float]
    """95 %, as the official one."""
    variance_factor: float | None
    """Of this bot: the squared ratio of its standard error to the official one; None for the
    anchor, which has neither."""

    def __str__(self) -> str:
        """With half its interval; "" for the anchor, which stands where it officially does."""
        if self.variance_factor is None:
            return ""
        low, high = self.interval
        return f"{self.elo:.0f} ± {(high - low) / 2:.0f}"


class LuckSource(NamedTuple):
    """What a column comes from, and what it gained."""

    table: TableName
    mean_variance_factor: float
    """Of the bots that are told theirs, without the anchor."""

    def note(self) -> str:
        """In a sentence, to stand below the column."""
        return (
            "Luck-adjusted: beside the official Elo, which alone ranks, with the luck of the draws "
            f"taken out by {self.table.file} (SHA-256 {self.table.sha256[:12]}…); its variance is "
            f"{self.mean_variance_factor:.2f} of the official Elo's, on average over the bots."
        )

    def document(self) -> dict[str, Any]:
        """The same for programs."""
        return self._asdict() | {"table": self.table._asdict()}


def luck_source(game: str, column: Iterable[LuckAdjusted | None]) -> LuckSource | None:
    """Of the lines of a board; None where no luck was taken out."""
    factors = [
        adjusted.variance_factor
        for adjusted in column
        if adjusted is not None and adjusted.variance_factor is not None
    ]
    table = table_of(game)
    return LuckSource(table, fmean(factors)) if table is not None and factors else None


def adjusted_by_version(
    column: LuckColumn[VersionId] | None, shift: float
) -> dict[VersionId, LuckAdjusted]:
    """Of the versions with matches enough, with `shift` added to every Elo."""
    if column is None:
        return {}
    adjusted = column.adjusted
    found = {}
    for bot, elo, low, high, factor, enough in zip(
        adjusted.fit.bots,
        (adjusted.fit.elo + shift).tolist(),
        (adjusted.low + shift).tolist(),
        (adjusted.high + shift).tolist(),
        column.variance_factors.tolist(),
        column.luck.enough.tolist(),
        strict=True,
    ):
        if not enough:
            continue
        anchored = adjusted.fit.anchor is not None and adjusted.fit.anchor.bot == bot
        found[bot] = LuckAdjusted(elo, (low, high), None if anchored else factor)
    return found


def luck_of_table(rows: Sequence[Sequence[float] | None], seats: int) -> FloatArray | None:
    """The column of luck (n, seats) of matches at one table size; None where none was measured.

    Luck that cannot be one's, of other seats or of no finite number, counts as none: results are
    what a board is made of, and no luck may keep it from being shown.
    """
    if all(luck is None for luck in rows):
        return None
    nothing = (0.0,) * seats
    column = np.array(
        [luck if luck is not None and len(luck) == seats else nothing for luck in rows], np.float64
    )
    column[~np.isfinite(column).all(axis=1)] = 0.0
    return column
