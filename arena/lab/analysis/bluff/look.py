"""A search that looks three actions ahead, over all hands that the others may hold.

For each own bet, the next seat's answer is computed with each of its hands. If that seat doubts,
the round ends. If it raises, its hands are reweighted by the raise, and with two seats the best
reply is found: a doubt, or a raise that is doubted or not. The value of a round is the chance to
win the match with the dice that are left. No hand is sampled: five dice have only 252 different
rolls, so sums over all of them are exact. The letters of the shapes of arrays are in players.py.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from arena.games.bluff import Bet, Dice, Doubt, PlacedBet
from arena.games.bluff.bets import FACES, count_matching
from arena.lab.analysis.bluff.players import REACH, Answers, expected
from arena.lab.analysis.bluff.table import (
    OFFSET,
    BettingTable,
    DiceCounts,
    Weights,
    hands_of,
    outcomes,
    spread,
)

OWN_REACH = 3
"""The number of quantities of each face, from the lowest, that are considered."""
MANY_HANDS = 500
"""The number of the next seat's hands (six dice or more) above which only the lowest bets are
considered.
"""
DEEP_REACH = 2
"""The number of quantities of each face that are considered for a second raise."""
PRESSURE = 0.03
"""The gain in winning probability from a bet that is not doubted (the sum is at most 1): the others
must then bet higher, or doubt.
"""
STRENGTH = 2.0
"""The exponent s: a seat's chance to win the match is proportional to its number of dice to the
power s. In solved play a seat that opens with one die against two wins 20.6 %.
"""


def bets_in_reach(lowest: Sequence[int], highest: int, reach: int) -> list[Bet]:
    """Return the lowest `reach` legal bets on each face, given the bounds of legal quantities."""
    return [
        Bet(quantity, face)
        for face in FACES
        for quantity in range(lowest[face - 1], min(lowest[face - 1] + reach - 1, highest) + 1)
    ]


class Look:
    """One turn of a seat, with the values of its actions as chances to win the match."""

    def __init__(
        self, table: BettingTable, seat: int, dice: Dice, beliefs: Mapping[int, Weights]
    ) -> None:
        self.table, self.seat = table, seat
        self.known = table.shown() + [count_matching(face, (dice,)) for face in FACES]
        """[f] The matching dice that the seat sees."""
        self.others = table.others(seat)
        self.next = self.others[0]
        self.belief = beliefs[self.next]
        self.having = hands_of(table.hidden(self.next)).having
        held = [
            np.einsum("kh,fhc->fc", beliefs[other], hands_of(table.hidden(other)).having)
            for other in self.others
        ]
        self.held = spread(held)
        """[f, c] The probability that all others together hold c matching dice."""
        self.rest = spread(held[1:])
        """[f, r] The same for all others but the next seat."""
        strengths = np.array(table.counts) ** STRENGTH
        self.trusted = min(1.0, strengths[seat] / strengths.sum() + PRESSURE)
        """The chance to win after a bet that is not doubted."""

    def values(self) -> dict[Bet | Doubt, float]:
        """Return the values of the lowest bets on each face and, if a bet is open, of a doubt."""
        reach = OWN_REACH if self.having.shape[1] <= MANY_HANDS else 1
        bets = bets_in_reach(self.table.lowest(), self.table.highest, reach)
        values: dict[Bet | Doubt, float] = {bet: self.value_of_bet(bet) for bet in bets}
        if self.table.bets:
            values[Doubt()] = self.value_of_doubt()
        return values

    def chance(self, bet: Bet) -> float:
        """Return the probability that a bet is true, by the beliefs about the others' dice."""
        missing = max(0, bet.quantity - int(self.known[bet.face - 1]))
        return float(self.held[bet.face - 1][missing:].sum())

    def value_of_doubt(self) -> float:
        """Return the value of doubting the standing bet."""
        bettor, bet = self.table.bets[-1]
        return self._after_doubt(self.held[bet.face - 1], bet, bettor, self.seat)

    def value_of_bet(self, bet: Bet) -> float:
        """Return the value of a bet, over all answers of the next seat with all of its hands."""
        answers = Answers(self.table.with_bet(self.seat, bet), self.next)
        likely = np.einsum("kah,kh->ah", answers.chances, self.belief)
        face = bet.face - 1
        found = np.convolve(likely[-1] @ self.having[face], self.rest[face])
        doubted = self._after_doubt(found, bet, self.seat, self.next)
        if len(self.others) > 1:
            return doubted + float(likely[:-1].sum() * self.trusted)
        return doubted + self._after_raises(likely[:-1], answers.lowest)

    def _after_doubt(self, found: Weights, bet: Bet, bettor: int, doubter: int) -> float:
        surplus = np.arange(len(found)) + self.known[bet.face - 1] - bet.quantity
        values = outcomes(self.table.counts, self.seat, bettor, doubter, STRENGTH)
        return float(found @ values[surplus + OFFSET])

    def _after_raises(self, raises: Weights, lowest: DiceCounts) -> float:
        """Return the value of the only opponent's raises [a, h], each met by the best answer."""
        faces, counts = len(FACES), np.arange(self.having.shape[2])
        # [f, q, g, c]: the probability of the raise, and of c dice that match our bet on face g.
        held = (raises @ self.having.transpose(1, 0, 2).reshape(len(self.having[0]), -1)).reshape(
            faces, REACH, faces, -1
        )
        surplus = (self.known - lowest)[:, None, None] - np.arange(REACH)[:, None] + counts
        shares = outcomes(self.table.counts, self.seat, self.next, self.seat, STRENGTH)
        on_face = held[np.arange(faces), :, np.arange(faces)]
        doubts = (on_face * shares[surplus + OFFSET]).sum(2)
        own = lowest_after(tuple(lowest.tolist()))[..., None] + np.arange(DEEP_REACH)
        unseen = expected(self.table.hidden(self.seat))
        doubting = counts < (own - (self.table.shown()[:, None] + unseen))[..., None]
        surplus = (self.known[:, None] - own)[..., None] + counts
        shares = outcomes(self.table.counts, self.seat, self.seat, self.next, STRENGTH)
        values = np.where(doubting, shares[surplus + OFFSET], self.trusted)
        raised = (values @ held[..., None])[..., 0]
        raised[own > self.table.highest] = -np.inf
        return float(np.maximum(doubts, raised.max((2, 3))).sum())


# The cache is bounded by the number of bets.
@cache
def lowest_after(lowest: tuple[int, ...]) -> DiceCounts:
    """Return the lowest quantities on each face that raise each bet from `lowest` up: [f, q, g].

    The bet has face f and a quantity q above the lowest; g is the face of the raise.
    """
    raised = np.empty((len(FACES), REACH, len(FACES)), dtype=np.int64)
    for face in FACES:
        for step in range(REACH):
            bet = Bet(lowest[face - 1] + step, face)
            raised[face - 1, step] = BettingTable((), (), (PlacedBet(0, bet),), 0).lowest()
    return raised
