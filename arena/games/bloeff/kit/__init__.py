"""The kit of Blöff: what the arena knows about the game besides its rules."""

from typing import Final

from arena.games.bloeff.deck import DeckRow
from arena.games.bloeff.game import Bloeff
from arena.games.bloeff.options import BloeffOptions
from arena.games.kit import GameKit

_OPTIONS: Final = BloeffOptions()


def _more(row: DeckRow, cards: int) -> DeckRow:
    """Return a row of the deck with its count changed by `cards`."""
    return row.model_copy(update={"count": row.count + cards})


KIT: Final = GameKit(
    Bloeff,
    __name__,
    anchor="bloeff_honest",
    opponent="bloeff_honest",
    slow_bots=frozenset({"bloeff_search"}),
    other_options={
        "limits": [(0,), (99, 50)],
        "first_seat": [1],
        # One card fewer of the first kind, and one more of the second.
        "deck": [
            (_more(_OPTIONS.deck[0], -1), _more(_OPTIONS.deck[1], 1), *_OPTIONS.deck[2:]),
        ],
        "deal": [tuple(row.model_copy(update={"cards": 5}) for row in _OPTIONS.deal)],
    },
)
