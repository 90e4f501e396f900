"""Equivalence classes (cells) of Bluff rounds between two seats: hand pairs with the same value.

A duel is the pair (dice of the opener, dice of the other seat). Duels with the same counts (`Cell`)
are in one cell and have the same value.
"""

from functools import cache
from typing import Final, NamedTuple

from arena.games.bluff import STAR, Dice, Face

NUMBERS: Final = tuple(face for face in Face if face is not STAR)


class Cell(NamedTuple):
    """The counts of a cell.

    A hand's "best" number is its most frequent one, the largest among equals.
    """

    stars: int
    """The number of stars of the seat that opens."""
    most: int
    """The number of the opener's dice that show its best number."""
    other_stars: int
    other_most: int
    matching: int
    """The number of dice of both hands that match the opener's best number, including stars."""
    other_matching: int
    """The number of dice of both hands that match the other's best number, including stars."""
    order: int
    """The comparison of the best numbers: 1, 0 or -1 if the opener's is larger, equal, smaller."""


class Hand(NamedTuple):
    """The counts of one hand that determine its cells."""

    counts: tuple[int, ...]
    """The number of dice by face, ascending."""
    best: int
    """The index of the best number."""


def cell_of(dice: Dice, other_dice: Dice) -> Cell:
    """Return the cell of a duel; the opener's dice come first."""
    return cell_of_hands(hand_of(dice), hand_of(other_dice))


# The cache is bounded: hands have few dice.
@cache
def hand_of(dice: Dice) -> Hand:
    """Return the counts of a hand."""
    counts = tuple(dice.count(face) for face in Face)
    best = max(range(len(NUMBERS)), key=lambda index: (counts[index], index))
    return Hand(counts, best)


def cell_of_hands(hand: Hand, other: Hand) -> Cell:
    """Return the cell of two hands; the opener's comes first."""
    counts, best = hand
    other_counts, other_best = other
    stars = counts[-1] + other_counts[-1]
    return Cell(
        counts[-1],
        counts[best],
        other_counts[-1],
        other_counts[other_best],
        counts[best] + other_counts[best] + stars,
        counts[other_best] + other_counts[other_best] + stars,
        (best > other_best) - (best < other_best),
    )
