"""How lucky a seat's draws were: what the dealer gave it beyond the expectation.

For every draw: the value of what was drawn, by a fixed table, minus the mean of that value over all
that could have been drawn. Its expectation is zero whoever plays, so it can be taken out of a
rating without moving it. The definition and the proof stand in docs/luck.md.
"""

from arena.luck.draws import DrawLuck
from arena.luck.luck import Luck, checked_luck_of, luck_of, table_of
from arena.luck.tables import BLOEFF, BLUFF, BLUFF_YOU, LuckTableError, TableName

__all__ = [
    "BLOEFF",
    "BLUFF",
    "BLUFF_YOU",
    "DrawLuck",
    "Luck",
    "LuckTableError",
    "TableName",
    "checked_luck_of",
    "luck_of",
    "table_of",
]
