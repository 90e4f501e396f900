"""Bluff: a dice game in which all seats roll in secret and bets rise until a seat doubts.

A bot author needs `BluffView`, the seat's view, and the answers `Bet` and `Doubt`.
"""

from arena.games.bluff.game import Bluff
from arena.games.bluff.options import BluffOptions
from arena.games.bluff.values import (
    STAR,
    Bet,
    BetPlaced,
    BluffAction,
    BluffChoice,
    BluffEvent,
    BluffRoundStarted,
    BluffView,
    CupRoll,
    Dice,
    Doubt,
    Face,
    OpenerDraw,
    PlacedBet,
    Reroll,
    Showdown,
    StartingRoll,
    StartingRolled,
)

__all__ = [
    "STAR",
    "Bet",
    "BetPlaced",
    "Bluff",
    "BluffAction",
    "BluffChoice",
    "BluffEvent",
    "BluffOptions",
    "BluffRoundStarted",
    "BluffView",
    "CupRoll",
    "Dice",
    "Doubt",
    "Face",
    "OpenerDraw",
    "PlacedBet",
    "Reroll",
    "Showdown",
    "StartingRoll",
    "StartingRolled",
]
