"""The kit of Skull: what the arena knows about the game besides its rules."""

from typing import Final

from arena.games.kit import GameKit
from arena.games.skull.game import Skull

KIT: Final = GameKit(Skull, __name__, anchor="skull_honest", opponent="skull_honest")
