"""What the luck of a roll of Bluff You! is read from: its sum, and where the chip of it lies."""

from collections import Counter
from itertools import product
from typing import Final

from arena.games.bluff_you.values import CHIPS, DICE, PIPS

ROLLS: Final = PIPS**DICE

WAYS: Final = dict(sorted(Counter(map(sum, product(range(1, PIPS + 1), repeat=DICE))).items()))
"""How many of all rolls make each sum."""

CENTRE: Final = 0
OWN: Final = 1
"""The bluffer's."""
OTHER: Final = 2


def kind_of(number: int) -> int:
    """Sums that are equally likely, and their chips worth the same, are of one kind, from 0."""
    return min(number - CHIPS[0], CHIPS[-1] - number)
