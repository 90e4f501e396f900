"""Constants for the luck of a Bluff You! roll: the place and the kind of the chip with its sum."""

from typing import Final

from arena.games.bluff_you.values import CHIPS

CENTRE: Final = 0
OWN: Final = 1
"""The chip is the bluffer's own."""
OTHER: Final = 2


def kind_of(number: int) -> int:
    """Return the kind of a sum, from 0: equally likely sums of equal worth share one."""
    return min(number - CHIPS[0], CHIPS[-1] - number)
