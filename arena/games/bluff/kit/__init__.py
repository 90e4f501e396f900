"""The kit of Bluff: what the arena knows about the game besides its rules."""

from typing import Final

from arena.games.bluff.game import Bluff
from arena.games.kit import GameKit

KIT: Final = GameKit(
    Bluff,
    __name__,
    anchor="honest",
    opponent="honest",
    slow_bots=frozenset({"exploiter", "search"}),
)
