"""Constants for the luck of a Bluff You! roll: its sum, and the place of the chip with that sum."""

from collections import Counter
from itertools import product
from typing import Final

from arena.games.bluff_you.values import CHIPS, DICE, PIPS

ROLLS: Final = PIPS**DICE

WAYS: Final = dict(sorted(Counter(map(sum, product(range(1, PIPS + 1), repeat=DICE))).items()))
"""The number of rolls by sum."""

CENTRE: Final = 0
OWN: Final = 1
"""The chip is the bluffer's own."""
OTHER: Final = 2


def kind_of(number: int) -> int:
    """The kind of a sum, from 0: equally likely sums, whose chips have equal worth, share one."""
    return min(number - CHIPS[0], CHIPS[-1] - number)
