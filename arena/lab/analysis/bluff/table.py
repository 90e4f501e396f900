"""The public state in the middle of a round, all hands, and the distributions of dice, as arrays.

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

from arena.games.bluff import STAR, Bet, BluffView, Dice, PlacedBet
from arena.games.bluff.bets import FACES, OPENING, count_matching, lowest_raises
from arena.games.bluff.showdown import losses_of

Weights: TypeAlias = NDArray[np.float64]
Singles: TypeAlias = NDArray[np.float32]
DiceCounts: TypeAlias = NDArray[np.int64]

OFFSET = 199
"""The number that is added to a number of dice, which may be negative, to make an index."""
READ = 6
"""The number of a seat's latest bets in one round that are read: earlier ones add little."""
MANY_DICE = 6
"""The number of dice above which only a seat's last bet is read, because it has so many hands."""
BASE = np.array([1 / 6 if face is STAR else 1 / 3 for face in FACES])
"""[f] The probability that a fair die matches."""


@dataclass(frozen=True)
class BettingTable:
    """The public knowledge in the middle of a round."""

    counts: tuple[int, ...]
    """The dice by seat."""
    laid_out: tuple[Dice, ...]
    bets: tuple[PlacedBet, ...]
    highest: int

    @classmethod
    def of(cls, view: BluffView) -> "BettingTable":
        """Return the table that a view shows."""
        return cls(view.dice_counts, view.face_up, view.bets, view.highest)

    def with_bet(self, seat: int, bet: Bet) -> "BettingTable":
        """Return the table after one more bet."""
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
        """Return the indices of the bets that a seat placed with its present hidden dice.

        Only the latest READ of them are included, or one of a seat with more than MANY_DICE dice.
        """
        placed = [index for index, (bettor, _) in enumerate(self.bets) if bettor == seat]
        # The dice that stayed under the cup when others were laid out were rolled again.
        rolled = max((index + 1 for index in placed if self.bets[index].bet.show), default=0)
        read = READ if self.hidden(seat) <= MANY_DICE else 1
        return [index for index in placed if index >= rolled][-read:]

    def hidden(self, seat: int) -> int:
        """Return the number of a seat's dice under its cup."""
        return self.counts[seat] - len(self.laid_out[seat])

    def others(self, seat: int) -> list[int]:
        """Return the other seats with dice, the next one first."""
        seats = len(self.counts)
        clockwise = [other % seats for other in range(seat + 1, seat + seats)]
        return [other for other in clockwise if self.counts[other]]

    def shown(self) -> DiceCounts:
        """Return the number of laid-out dice that match each face: [f]."""
        return np.array([count_matching(face, self.laid_out) for face in FACES])

    def lowest(self) -> Sequence[int]:
        """Return the lowest legal quantity of each face: [f]."""
        if not self.bets:
            return OPENING
        standing = self.bets[-1].bet
        return lowest_raises(standing.quantity, standing.face)


@dataclass(frozen=True)
class Hands:
    """All rolls of a number of dice."""

    dice: list[Dice]
    chances: Weights
    """[h] The probability of each roll."""
    matching: DiceCounts
    """[f, h] The number of matching dice."""
    having: Weights
    """[f, h, c] 1 where the hand has c matching dice."""


# The cache is bounded by the dice of a seat.
@cache
def hands_of(count: int) -> Hands:
    """Return all rolls of `count` dice."""
    dice = list(combinations_with_replacement(FACES, count))
    orders = [prod(factorial(hand.count(face)) for face in FACES) for hand in dice]
    matches = np.array([[count_matching(face, (hand,)) for hand in dice] for face in FACES])
    chances = factorial(count) / np.array(orders) / 6**count
    return Hands(dice, chances, matches, np.eye(count + 1)[matches])


def binomials(dice: int, chances: Weights) -> Weights:
    """Return the distribution of the number of matching dice: [f, c].

    `chances` is the probability for each face that a die matches.
    """
    count = np.arange(dice + 1)
    ways = np.array([comb(dice, c) for c in count])
    return ways * chances[:, None] ** count * (1 - chances[:, None]) ** (dice - count)


def spread(cups: Sequence[Weights]) -> Weights:
    """Return the distribution of the number of matching dice in several cups: [f, c]."""
    return np.array([spread_of([cup[face] for cup in cups]) for face in range(len(FACES))])


def spread_of(cups: Sequence[Weights]) -> Weights:
    """Return the distribution of the number of matching dice in several cups, for one face: [c]."""
    return reduce(np.convolve, cups, np.ones(1))


# The cache is bounded by the dice in play.
@cache
def tails(dice: int) -> Weights:
    """Return the probability that `n` or more of `dice` fair dice match: [f, n + OFFSET]."""
    likely = np.zeros((len(FACES), 2 * OFFSET + 1))
    likely[:, OFFSET : OFFSET + dice + 1] = binomials(dice, BASE)
    return np.cumsum(likely[:, ::-1], axis=1)[:, ::-1]


# The cache is bounded by the ways in which dice can be lost.
@cache
def outcomes(
    counts: tuple[int, ...], seat: int, bettor: int, doubter: int, strength: float
) -> Weights:
    """Return a seat's share of the dice left after a doubt: [surplus + OFFSET].

    Each seat's number of dice is raised to the power `strength`.
    """
    values = np.zeros(2 * OFFSET + 1)
    for index in range(len(values)):
        lost = losses_of(counts, bettor, doubter, index - OFFSET)
        strengths = np.subtract(counts, lost) ** strength
        values[index] = strengths[seat] / strengths.sum()
    return values
