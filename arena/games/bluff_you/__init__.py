"""Bluff You!: a game of winning, stealing and swapping chips with dice only the bluffer sees."""

from arena.games.bluff_you.game import BluffYou
from arena.games.bluff_you.options import BluffYouOptions
from arena.games.bluff_you.state import BluffYouState
from arena.games.bluff_you.swaps import is_double, legal_swaps, swap_targets
from arena.games.bluff_you.values import (
    CHIPS,
    Announced,
    Answer,
    BluffYouAction,
    BluffYouAnnouncement,
    BluffYouChoice,
    BluffYouEvent,
    BluffYouPhase,
    BluffYouView,
    Gift,
    Give,
    Revealed,
    Roll,
    Steal,
    Stop,
    Swap,
    Swapped,
    Take,
    Taken,
    TurnStarted,
    Win,
)

__all__ = [
    "CHIPS",
    "Announced",
    "Answer",
    "BluffYou",
    "BluffYouAction",
    "BluffYouAnnouncement",
    "BluffYouChoice",
    "BluffYouEvent",
    "BluffYouOptions",
    "BluffYouPhase",
    "BluffYouState",
    "BluffYouView",
    "Gift",
    "Give",
    "Revealed",
    "Roll",
    "Steal",
    "Stop",
    "Swap",
    "Swapped",
    "Take",
    "Taken",
    "TurnStarted",
    "Win",
    "is_double",
    "legal_swaps",
    "swap_targets",
]
