"""The probability that an announcement is true, given one view (BY-6, BY-8, BY-13)."""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Final

from arena.games.bluff_you.values import DICE, PIPS, BluffYouView

ROLLS: Final = PIPS**DICE

WAYS: Final = dict(sorted(Counter(map(sum, product(range(1, PIPS + 1), repeat=DICE))).items()))
"""The number of rolls by their sum."""


def claim_chance(view: BluffYouView) -> Fraction | None:
    """Return the probability that this turn's announcement is true, given a view.

    It is 0 or 1 if the view shows the dice, else the share of the rolls with that sum. It is None
    without an announcement.
    """
    if view.announced is None:
        return None
    number = view.announced.number
    if view.dice:
        return Fraction(int(sum(view.dice) == number))
    return Fraction(WAYS[number], ROLLS)
