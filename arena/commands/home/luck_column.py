"""The luck-adjusted win shares of `arena play`, its second column.

The raw share remains the official one. The adjusted share has the same expectation and, if the
table of luck describes the game well, a narrower interval.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.lab.luck import TableName
from arena.local.deal_blocks import BlockMatch

if TYPE_CHECKING:  # it imports numpy; an error in the arguments must not wait for that
    from arena.rating.luck import AdjustedShare


@dataclass(frozen=True, slots=True)
class _Column:
    outcomes: "array[float]"
    lucks: "array[float]"


class LuckTally:
    """The wins and the luck by bot, match by match."""

    def __init__(self, names: Sequence[str]) -> None:
        self._columns = {name: _Column(array("f"), array("f")) for name in names}
        self._names = list(names)
        self._table: TableName | None = None

    def add(self, finished: BlockMatch) -> None:
        """Count a match whose luck was measured; ignore others."""
        if finished.luck is None or finished.luck.table is None:
            return
        self._table = finished.luck.table
        placing = finished.result.placing
        for seat, contender in enumerate(finished.contenders):
            column = self._columns[self._names[contender]]
            column.outcomes.append((placing[seat] == 1) / placing.count(1))
            column.lucks.append(finished.luck.seats[seat])

    def summary(self) -> dict[str, Any] | None:
        """Return the table of luck and the adjusted share by bot; None if no luck was measured.

        Also None if there are too few matches to remove the luck.
        """
        if self._table is None:
            return None
        from arena.rating.luck import FEWEST_BLOCKS

        if len(self._columns[self._names[0]].outcomes) < FEWEST_BLOCKS:
            return None
        return {
            "table": self._table._asdict(),
            "bots": {name: _json(_adjusted(column)) for name, column in self._columns.items()},
        }


def _adjusted(column: _Column) -> "AdjustedShare":
    import numpy as np

    from arena.rating.luck import adjusted_share

    return adjusted_share(np.array(column.outcomes, float)[:, None], np.array(column.lucks, float))


def _json(found: "AdjustedShare") -> dict[str, float]:
    return {
        "share": round(found.share, 6),
        "share_low": round(found.low, 6),
        "share_high": round(found.high, 6),
        "variance_factor": round(found.variance_factor, 6),
    }


def luck_adjusted_cell(summary: dict[str, Any], name: str) -> str:
    """Return a bot's share and 95 % interval, which is asymmetric if cut off at 0 or 1."""
    bot = summary["bots"][name]
    return f"{bot['share']:.1%} ({bot['share_low']:.1%} to {bot['share_high']:.1%})"


def luck_adjusted_note(summary: dict[str, Any]) -> str:
    """Return a note on the column's meaning and on the variance that it removed."""
    factors = ", ".join(f"{bot['variance_factor']:.2f}" for bot in summary["bots"].values())
    file, sha256 = summary["table"]["file"], summary["table"]["sha256"]
    return (
        "Luck-adjusted: in addition to the official share, with the luck of the draws taken out by "
        f"{file} (SHA-256 {sha256[:12]}…); variance {factors} of the raw share's"
    )
