"""The luck-adjusted Elo of a board: the rating with the luck of the draws removed."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

from arena.lab.luck import TableName, table_of
from arena.rating.luck_column import LuckColumn
from arena.records import VersionId


@dataclass(frozen=True, slots=True)
class LuckAdjusted:
    """A luck-adjusted Elo. Show it only together with the official Elo, which ranks the lines."""

    elo: float
    interval: tuple[float, float]
    """The 95 % interval, like the official one."""
    variance_factor: float | None
    """The squared ratio of this bot's standard error to the official one.

    None for the anchor, which has no standard error.
    """

    def __str__(self) -> str:
        """Return the Elo ± half its interval; "" for the anchor, whose Elo is the official one."""
        if self.variance_factor is None:
            return ""
        low, high = self.interval
        return f"{self.elo:.0f} ± {(high - low) / 2:.0f}"


class LuckSource(NamedTuple):
    """The luck table behind a column, and how much the column reduced the variance."""

    table: TableName
    mean_variance_factor: float
    """The mean over the bots that have a variance factor; the anchor has none."""

    def note(self) -> str:
        """Return one sentence to show below the column."""
        return (
            "Luck-adjusted: the Elo without the luck of the draws, as measured by "
            f"{self.table.file} (SHA-256 {self.table.sha256[:12]}…). Ranks use the official Elo. "
            f"On average over the bots its variance is {self.mean_variance_factor:.2f} of the "
            "official Elo's."
        )

    def document(self) -> dict[str, Any]:
        """Return the source as a dict for JSON output."""
        return self._asdict() | {"table": self.table._asdict()}


def luck_source(game: str, column: Iterable[LuckAdjusted | None]) -> LuckSource | None:
    """Return the LuckSource of a board's lines; None if no luck was removed."""
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
    """Return the luck-adjusted Elo of versions with enough matches, plus `shift`."""
    if column is None:
        return {}
    fitted = column.luck.fit
    found = {}
    for bot, elo, low, high, factor, enough in zip(
        fitted.bots,
        (fitted.elo + shift).tolist(),
        (column.low + shift).tolist(),
        (column.high + shift).tolist(),
        column.variance_factors.tolist(),
        column.luck.enough.tolist(),
        strict=True,
    ):
        if not enough:
            continue
        anchored = fitted.anchor is not None and fitted.anchor.bot == bot
        found[bot] = LuckAdjusted(elo, (low, high), None if anchored else factor)
    return found
