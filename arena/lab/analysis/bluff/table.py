"""The table in the middle of a round, all hands, and how dice fall, as arrays.

Letters in the shapes of arrays: h = hand, f = face, c = matching dice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.games.bluff import STAR, Bet, BluffView, Dice, Face, PlacedBet

Weights: TypeAlias = NDArray[np.float64]
DiceCounts: TypeAlias = NDArray[np.int64]

OFFSET = 199
"""Added to a number of dice, which may be negative, to make an index."""
READ = 6
"""How many bets of a seat in one round are read, the latest: earlier ones add little."""
MANY_DICE = 6
"""The number of dice beyond which only the last bet is read, for want of time."""
FACES = tuple(Face)
BASE = np.array([1 / 6 if face is STAR else 1 / 3 for face in FACES])
"""[f] How likely a fair die matches."""


@dataclass(frozen=True)
class BettingTable:
    """What everybody knows in the middle of a round."""

    counts: tuple[int, ...]
    """Dice by seat."""
    laid_out: tuple[Dice, ...]
    bets: tuple[PlacedBet, ...]
    highest: int

    @classmethod
    def of(cls, view: BluffView) -> "BettingTable":
        return cls(view.dice_counts, view.face_up, view.bets, view.highest)

    def with_bet(self, seat: int, bet: Bet) -> "BettingTable":
        return BettingTable(
            self.counts, self.laid_out, (*self.bets, PlacedBet(seat, bet)), self.highest
        )

    def before(self, index: int) -> "BettingTable":
        """Return the table before one of its bets."""
        laid_out = [list(dice) for dice in self.laid_out]
        for seat, bet in self.bets[index:]:
            for die in bet.show:
                laid_out[seat].remove(die)
        return BettingTable(
            self.counts, tuple(map(tuple, laid_out)), self.bets[:index], self.highest
        )

    def telling(self, seat: int) -> list[int]:
        """Which bets a seat placed with the dice that it still has under its cup."""
        placed = [index for index, (bettor, _) in enumerate(self.bets) if bettor == seat]
        # What stayed under the cup when dice were laid out was rolled again.
        rolled = max((index + 1 for index in placed if self.bets[index].bet.show), default=0)
        read = READ if self.hidden(seat) <= MANY_DICE else 1
        return [index for index in placed if index >= rolled][-read:]

    def hidden(self, seat: int) -> int:
        return self.counts[seat] - len(self.laid_out[seat])

    def others(self, seat: int) -> list[int]:
        """Return the other seats with dice, the next one first."""
        seats = len(self.counts)
        clockwise = [other % seats for other in range(seat + 1, seat + seats)]
        return [other for other in clockwise if self.counts[other]]

    def shown(self) -> DiceCounts:
        """[f] The dice laid out that match."""
        dice = sum(self.laid_out, ())
        return np.array([matching(dice, face) for face in FACES])

    def lowest(self) -> Sequence[int]:
        """[f] The lowest legal quantity."""
        if not self.bets:
            return (1,) * len(FACES)
        quantity, face = self.bets[-1].bet.quantity, self.bets[-1].bet.face
        if face is STAR:
            return (2 * quantity,) * 5 + (quantity + 1,)
        return (*(quantity + (other <= face) for other in FACES[:5]), quantity // 2 + 1)


@dataclass(frozen=True)
class Hands:
    """All rolls of some dice."""

    dice: list[Dice]
    chances: Weights
    """[h]"""
    matching: DiceCounts
    """[f, h]"""
    having: Weights
    """[f, h, c] 1 where the hand has so many matching dice."""


# Bounded by the dice of a seat.
@cache
def hands_of(count: int) -> Hands:
    """All rolls of `count` dice."""
    dice = list(combinations_with_replacement(FACES, count))
    orders = [prod(factorial(hand.count(face)) for face in FACES) for hand in dice]
    matches = np.array([[matching(hand, face) for hand in dice] for face in FACES])
    chances = factorial(count) / np.array(orders) / 6**count
    return Hands(dice, chances, matches, np.eye(count + 1)[matches])


def matching(dice: Dice, face: Face) -> int:
    """How many of the dice count for a bet on `face`."""
    return dice.count(STAR) if face is STAR else dice.count(STAR) + dice.count(face)


def binomials(dice: int, chances: Weights) -> Weights:
    """[f, c] How many of some dice match."""
    count = np.arange(dice + 1)
    ways = np.array([comb(dice, c) for c in count])
    return ways * chances[:, None] ** count * (1 - chances[:, None]) ** (dice - count)


def spread(cups: Sequence[Weights]) -> Weights:
    """[f, c] How many dice of several cups match."""
    return np.array([spread_of([cup[face] for cup in cups]) for face in range(len(FACES))])


def spread_of(cups: Sequence[Weights]) -> Weights:
    """[c] The same for one face."""
    return reduce(np.convolve, cups, np.ones(1))


# Bounded by the dice in play.
@cache
def tails(dice: int) -> Weights:
    """[f, n + OFFSET] The probability that `n` or more of some fair dice match."""
    likely = np.zeros((len(FACES), 2 * OFFSET + 1))
    likely[:, OFFSET : OFFSET + dice + 1] = binomials(dice, BASE)
    return np.cumsum(likely[:, ::-1], axis=1)[:, ::-1]


# Bounded by the ways in which dice can be lost.
@cache
def outcomes(
    counts: tuple[int, ...], seat: int, bettor: int, doubter: int, strength: float
) -> Weights:
    """[surplus + OFFSET] What the dice left after a doubt are worth to a seat."""
    values = np.zeros(2 * OFFSET + 1)
    for index in range(len(values)):
        left, surplus = np.array(counts), index - OFFSET
        if surplus:
            loser = doubter if surplus > 0 else bettor
            left[loser] -= min(left[loser], abs(surplus))
        else:
            left[np.arange(len(left)) != bettor] -= 1
        strengths = np.maximum(left, 0) ** strength
        values[index] = strengths[seat] / strengths.sum()
    return values
