"""A game of three cards (Kuhn poker), declared as any other: nothing else in the house knows it.

Two seats get one card each of 1, 2, 3. Seat 0 passes or bets, then seat 1. Who passes after a bet
has folded; a bet of seat 1 is answered by seat 0. Else the higher card wins, two points after two
bets.
"""

from arena.games.kit import GameKit
from tests.toy_game.rules import Act, CardDealt, Deal, ToyGame, ToyOptions, ToyState, ToyView

__all__ = ["KIT", "Act", "CardDealt", "Deal", "ToyGame", "ToyOptions", "ToyState", "ToyView"]

KIT = GameKit(ToyGame, __name__)
