"""The kit of Bluff You!: what the arena knows about the game besides its rules."""

from typing import Final

from arena.games.bluff_you.game import BluffYou
from arena.games.kit import GameKit

KIT: Final = GameKit(
    BluffYou,
    __name__,
    anchor="bluff_you_honest",
    opponent="bluff_you_honest",
    other_options={"chip_points": [(1,) * 16]},
)
