"""One round of Bluff at two seats, as a zero-sum game with tables for its numbers.

Seat 0 opens. A history is the set of bets placed so far (bets only rise, so the set determines
their order); the seat that did not place the last bet is on turn. A round ends with a doubt, and
its payoff depends on the doubted bet, on the seat that placed it and on each seat's matching dice.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.games.bluff.bets import FACES, count_matching, track
from arena.games.bluff.showdown import after_doubt
from arena.games.bluff.values import Bet, Dice

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.int64]

Side: TypeAlias = Literal["low", "middle", "high"]


class ValueBounds(NamedTuple):
    """A lower and an upper bound on a value."""

    low: float
    high: float

    def for_the_other(self) -> "ValueBounds":
        """Return the bounds on the other seat's probability to win."""
        return ValueBounds(1 - self.high, 1 - self.low)


Payoff: TypeAlias = Callable[[tuple[int, int], int], float]
"""The opener's payoff, given the dice left by seat and who won the bet (and opens next)."""


@dataclass(frozen=True)
class RoundGame:
    """A round between an opener (seat 0) and another seat (seat 1)."""

    dice: tuple[int, int]
    """Dice by seat."""
    bets: tuple[Bet, ...]
    """All bets, ascending (BL-14)."""
    hands: tuple[tuple[Dice, ...], tuple[Dice, ...]]
    """The distinct rolls by seat, each ascending."""
    chances: tuple[Floats, Floats]
    """The probability of each of `hands`."""
    matching: tuple[Counts, Counts]
    """The number of dice in each hand of a seat that count for each bet: [bet, hand]."""
    payoffs: Floats
    """[bet, bettor, matching dice of seat 0, of seat 1]: the opener's payoff of a doubt."""


def match_round(
    dice: tuple[int, int], values: Mapping[tuple[int, int], ValueBounds], side: Side = "middle"
) -> RoundGame:
    """Return the round in a match: its payoff is the opener's probability to win the match.

    `values` bound that probability at the start of all later rounds, by (opener's dice, other's).
    The payoffs take the `side` of these bounds: the worst, the middle or the best for the opener.
    """

    def payoff(left: tuple[int, int], winner: int) -> float:
        if 0 in left:
            return float(left[0] > 0)
        low, high = values[left] if winner == 0 else values[left[::-1]].for_the_other()
        return {"low": low, "middle": (low + high) / 2, "high": high}[side]

    return _round(dice, payoff)


def single_round(dice: tuple[int, int]) -> RoundGame:
    """Return the round as a game of its own: +1 if the opener wins the bet, else -1."""
    return _round(dice, lambda _, winner: -1.0 if winner else 1.0)


def _round(dice: tuple[int, int], payoff: Payoff) -> RoundGame:
    bets = track(sum(dice))
    hands = (hands_of(dice[0]), hands_of(dice[1]))
    payoffs = np.zeros((len(bets), 2, dice[0] + 1, dice[1] + 1))
    for (bet, bettor, own, others), _ in np.ndenumerate(payoffs):
        surplus = own + others - bets[bet].quantity
        payoffs[bet, bettor, own, others] = payoff(*after_doubt(dice, bettor, surplus))
    return RoundGame(
        dice,
        bets,
        hands,
        (_chances(hands[0]), _chances(hands[1])),
        (_matching(bets, hands[0]), _matching(bets, hands[1])),
        payoffs,
    )


def hands_of(dice: int) -> tuple[Dice, ...]:
    """Return the distinct rolls of `dice` dice, ascending."""
    return tuple(combinations_with_replacement(FACES, dice))


def _chances(hands: Sequence[Dice]) -> Floats:
    return np.array(
        [
            factorial(len(hand)) / prod(map(factorial, Counter(hand).values())) / 6 ** len(hand)
            for hand in hands
        ]
    )


def _matching(bets: Sequence[Bet], hands: Sequence[Dice]) -> Counts:
    counts = [[count_matching(bet.face, (hand,)) for hand in hands] for bet in bets]
    return np.array(counts, dtype=np.int64)
