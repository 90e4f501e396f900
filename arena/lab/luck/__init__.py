"""The luck of each seat: the value that the dealer's draws gave it, minus the expected value.

The luck of a draw is the value of the outcome, by a fixed table, minus the mean of that value over
all possible outcomes. Its expectation is zero for any players, so it can be subtracted from a
rating without bias. The definition and the proof are in docs/luck.md.
"""

from arena.lab.luck.draws import DrawLuck
from arena.lab.luck.luck import Luck, checked_luck_of, luck_of, table_of
from arena.lab.luck.tables import LuckTableError, TableName

__all__ = [
    "DrawLuck",
    "Luck",
    "LuckTableError",
    "TableName",
    "checked_luck_of",
    "luck_of",
    "table_of",
]
