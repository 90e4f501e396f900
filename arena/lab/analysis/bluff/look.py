"""A search that looks three actions ahead, over all hands that the others may hold.

For each own bet: what would the next seat answer with each of its hands? If it doubts, the round
ends. If it raises, its hands are weighed again by that raise, and at two seats the best answer is
found: a doubt, or a raise that it doubts or not. A round is worth the chance to win the match with
the dice that are left. No hand is sampled: five dice have only 252 different rolls, so sums over
all of them are exact. The letters of the shapes of arrays are in players.py.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from arena.games.bluff import Bet, Dice, Doubt, PlacedBet
from arena.lab.analysis.bluff.players import REACH, Answers, expected
from arena.lab.analysis.bluff.table import (
    FACES,
    OFFSET,
    BettingTable,
    DiceCounts,
    Weights,
    hands_of,
    matching,
    outcomes,
    spread,
)

OWN_REACH = 3
"""How many quantities of each face, from the lowest, are considered."""
MANY_HANDS = 500
"""With more hands of the next seat than these, six dice or more, only the lowest bets are."""
DEEP_REACH = 2
"""The same for a second raise."""
PRESSURE = 0.03
"""By how much a bet that is not doubted makes a win more likely than the dice do, up to certainty:
the other seat must then bet higher, or doubt."""
STRENGTH = 2.0
"""A seat wins the match in proportion to its dice to this power. Solved: a seat that opens with one
die against two wins 20.6 %."""


def bets_in_reach(lowest: Sequence[int], highest: int, reach: int) -> list[Bet]:
    """Return the lowest bets on each face."""
    return [
        Bet(quantity, face)
        for face in FACES
        for quantity in range(lowest[face - 1], min(lowest[face - 1] + reach - 1, highest) + 1)
    ]


class Look:
    """One turn of a seat: the values of its actions, as chances to win the match."""

    def __init__(
        self, table: BettingTable, seat: int, dice: Dice, beliefs: Mapping[int, Weights]
    ) -> None:
        self.table, self.seat = table, seat
        self.known = table.shown() + [matching(dice, face) for face in FACES]
        """[f] Matching dice that we see."""
        self.others = table.others(seat)
        self.next = self.others[0]
        self.belief = beliefs[self.next]
        self.having = hands_of(table.hidden(self.next)).having
        held = [
            np.einsum("kh,fhc->fc", beliefs[other], hands_of(table.hidden(other)).having)
            for other in self.others
        ]
        self.held = spread(held)
        """[f, c] What all others hold."""
        self.rest = spread(held[1:])
        """[f, r] What all but the next seat hold."""
        strengths = np.array(table.counts) ** STRENGTH
        self.trusted = min(1.0, strengths[seat] / strengths.sum() + PRESSURE)
        """The chance to win after a bet that is not doubted."""

    def values(self) -> dict[Bet | Doubt, float]:
        """Return the values of a doubt, where a bet stands, and of the lowest bets on each face."""
        reach = OWN_REACH if self.having.shape[1] <= MANY_HANDS else 1
        bets = bets_in_reach(self.table.lowest(), self.table.highest, reach)
        values: dict[Bet | Doubt, float] = {bet: self.value_of_bet(bet) for bet in bets}
        if self.table.bets:
            values[Doubt()] = self.value_of_doubt()
        return values

    def chance(self, bet: Bet) -> float:
        """How likely a bet is true, by what is believed of the others' dice."""
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
        """Return the value of raises [a, h] of the only opponent, each met by our best answer."""
        faces, counts = len(FACES), np.arange(self.having.shape[2])
        # [f, q, g, c]: how likely the raise, and so many dice that match a bet of ours on face g.
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


# Bounded by the bets.
@cache
def lowest_after(lowest: tuple[int, ...]) -> DiceCounts:
    """[f, q, g] The lowest quantities on each face g that raise the bets from `lowest` on."""
    raised = np.empty((len(FACES), REACH, len(FACES)), dtype=np.int64)
    for face in FACES:
        for step in range(REACH):
            bet = Bet(lowest[face - 1] + step, face)
            raised[face - 1, step] = BettingTable((), (), (PlacedBet(0, bet),), 0).lowest()
    return raised
