"""How often a cell of `arena.games.bluff.kit.duels` is rolled, counted exactly.

It goes through all pairs of hands, with their multinomial weights.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement
from math import factorial

from arena.games.bluff import Face
from arena.games.bluff.kit.duels import Cell, Hand, cell_of_hands, hand_of


def cell_weights(dice: int, other_dice: int) -> Counter[Cell]:
    """How many of the 6^(dice + other_dice) ordered rolls fall into each cell."""
    weights: Counter[Cell] = Counter()
    others = list(_hands(other_dice))
    for hand, ways in _hands(dice):
        for other, other_ways in others:
            weights[cell_of_hands(hand, other)] += ways * other_ways
    return weights


def _hands(dice: int) -> Iterator[tuple[Hand, int]]:
    """Every hand, and in how many orders it can be rolled."""
    for faces in combinations_with_replacement(Face, dice):
        hand, ways = hand_of(faces), factorial(dice)
        for count in hand.counts:
            ways //= factorial(count)
        yield hand, ways
