"""The places and kinds of the chip with a roll's sum, which determine the roll's value."""

from typing import Final

from arena.games.bluff_you.values import CHIPS

CENTRE: Final = 0
"""The place of a chip in the centre."""
OWN: Final = 1
"""The place of a chip that the bluffer owns."""
OTHER: Final = 2
"""The place of a chip that another seat owns."""


def kind_of(number: int) -> int:
    """Return the kind of a sum, from 0.

    Equally likely sums, whose chips have equal worth, share a kind.
    """
    return min(number - CHIPS[0], CHIPS[-1] - number)
