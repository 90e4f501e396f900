"""Bluff: everybody rolls in secret, and bets go up until somebody doubts.

A bot author needs `BluffView`, what a bot may know, and `Bet` and `Doubt`, what it answers.
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
