"""Cells of Bluff rounds between two seats: classes of hand pairs with the same value.

A duel is the pair (dice of the opener, dice of the other seat). All duels with the same few counts
are in one cell and have one value.
"""

from functools import cache
from typing import Final, NamedTuple

from arena.games.bluff import STAR, Dice, Face

NUMBERS: Final = tuple(face for face in Face if face is not STAR)


class Cell(NamedTuple):
    """The counts of a cell; "best" is a hand's most frequent number, the largest among equals."""

    stars: int
    """Stars of the seat that opens."""
    most: int
    """The opener's number of dice with its best number."""
    other_stars: int
    other_most: int
    matching: int
    """Dice of both hands that match the opener's best number, stars included."""
    other_matching: int
    """Dice of both hands that match the other's best number, stars included."""
    order: int
    """1, 0 or -1: the opener's best number is larger, the same or smaller."""


class Hand(NamedTuple):
    """The counts of one hand that a cell needs."""

    counts: tuple[int, ...]
    """By face, ascending."""
    best: int
    """Index of the best number."""


def cell_of(dice: Dice, other_dice: Dice) -> Cell:
    """Return the cell of a duel; the opener's dice come first."""
    return cell_of_hands(hand_of(dice), hand_of(other_dice))


# Bounded: hands have few dice.
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
