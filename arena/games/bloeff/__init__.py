"""Blöff: a card game in which seats lay cards face down and announce the running total.

A bot author needs `BloeffView`, the seat's view, and the answers `Number`, `Red`, `Action` and
`Ballot`.
"""

from arena.games.bloeff.deck import DealRow, DeckRow
from arena.games.bloeff.events import (
    Accepted,
    ActionPlayed,
    BloeffEvent,
    BloeffRoundStarted,
    CardsDrawn,
    Dealt,
    Doubted,
    DrawCause,
    Ending,
    MatchEnded,
    NumberPlayed,
    RedCarriedOut,
    RedPlayed,
    Reshuffled,
)
from arena.games.bloeff.game import Bloeff
from arena.games.bloeff.options import BloeffOptions
from arena.games.bloeff.state import BloeffPhase, BloeffState
from arena.games.bloeff.tables import TableError, load_deal, load_deck
from arena.games.bloeff.values import (
    NUMBER_CARDS,
    RED_CARDS,
    Action,
    Announcement,
    Ballot,
    BloeffAction,
    BloeffChoice,
    BloeffView,
    Card,
    Cards,
    Deal,
    Direction,
    Doubter,
    Number,
    Red,
    Reshuffle,
)

__all__ = [
    "NUMBER_CARDS",
    "RED_CARDS",
    "Accepted",
    "Action",
    "ActionPlayed",
    "Announcement",
    "Ballot",
    "Bloeff",
    "BloeffAction",
    "BloeffChoice",
    "BloeffEvent",
    "BloeffOptions",
    "BloeffPhase",
    "BloeffRoundStarted",
    "BloeffState",
    "BloeffView",
    "Card",
    "Cards",
    "CardsDrawn",
    "Deal",
    "DealRow",
    "Dealt",
    "DeckRow",
    "Direction",
    "Doubted",
    "Doubter",
    "DrawCause",
    "Ending",
    "MatchEnded",
    "Number",
    "NumberPlayed",
    "Red",
    "RedCarriedOut",
    "RedPlayed",
    "Reshuffle",
    "Reshuffled",
    "TableError",
    "load_deal",
    "load_deck",
]
