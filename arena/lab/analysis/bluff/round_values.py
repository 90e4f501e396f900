"""The values of one seat's actions in a round that both seats play by solved tables.

Letters in the shapes of arrays: a = action, h = hand of the opponent, p = place: 0 before the first
bet, else the number of the last bet on the track.
"""

from collections.abc import Sequence

import numpy as np

from arena.games.bluff import Dice
from arena.games.bluff.showdown import after_doubt
from arena.lab.analysis.bluff.recall import TableNodes
from arena.lab.analysis.bluff.recalled_values import ByPlace, ByRow, LastBetsValues, LastBetValues
from arena.lab.analysis.bluff.solved_play import RoundDice, RoundPlay, SolvedPlay
from arena.lab.analysis.bluff.table import Weights, hands_of

_UNLIKELY = 1e-3
"""The reach probability below which exact play is not followed further."""


class RoundValues:
    """A seat's decisions in one round: beliefs about the opponent's hand, values of actions."""

    def __init__(self, solved: SolvedPlay, play: RoundPlay, role: int, hand: Dice) -> None:
        """Prepare the values of a seat with `hand`, which opens if its `role` is 0."""
        self._play, self._role, self._bets = play, role, len(play.bets)
        theirs = hands_of(play.dice[1 - role])
        self._chances = theirs.chances
        self._hand = hands_of(play.dice[role]).dice.index(hand)
        own = hands_of(play.dice[role]).matching[:, self._hand]
        faces = [bet.face - 1 for bet in play.bets]
        quantities = np.array([bet.quantity for bet in play.bets])
        surplus = theirs.matching[faces] + (own[faces] - quantities)[:, None]
        self._doubts = tuple(
            _doubt_values(solved, play.dice, role, mine=mine)[surplus + sum(play.dice)]
            for mine in (False, True)
        )
        """[whether the bet is the seat's own][p - 1, h] The seat's chance to win after a doubt."""
        self._recalled = None if play.recall is None else self._values_of(play.recall)

    def belief(self, history: Sequence[int]) -> Weights:
        """Return the probability of each of the opponent's hands, given its bets: [h]."""
        likely = self._chances * self._play.likelihood(1 - self._role, history)
        shares: Weights = likely / likely.sum()
        return shares

    def truth(self, place: int, belief: Weights) -> float:
        """Return the probability that the bet at a place, which the opponent placed, is true."""
        bet, theirs = self._play.bets[place - 1], hands_of(self._play.dice[1 - self._role])
        own = hands_of(self._play.dice[self._role]).matching[bet.face - 1, self._hand]
        return float(belief @ (theirs.matching[bet.face - 1] + own >= bet.quantity))

    def values(self, history: Sequence[int], belief: Weights) -> Weights:
        """Return the values of the doubt and of all bets that raise: [a].

        The value of the doubt is 0 before the first bet.
        """
        place = history[-1] if history else 0
        doubt = float(belief @ self._doubts[False][place - 1]) if place else 0.0
        if self._recalled is None:
            bets = [
                self._after_bet((*history, bet), belief) for bet in range(place + 1, self._bets + 1)
            ]
            return np.array([doubt, *bets])
        return np.concatenate([[doubt], self._recalled.of_bets(history) @ belief])

    def _values_of(self, recall: int) -> LastBetValues | LastBetsValues:
        """Return the values of bets for play that knows only the last ones."""
        play, role = self._play, self._role
        met, own = self._doubts[True], self._doubts[False]
        if recall == 1:
            shares = [by_place[:, self._hand] for by_place in play.by_place[role]]
            return LastBetValues(ByPlace(play.by_place[1 - role], met), ByPlace(shares, own))
        # A contiguous copy of the column, because strided numbers are slow to read.
        weights = play.tables[role][:, self._hand, None].copy()
        return LastBetsValues(
            TableNodes.of(self._bets, recall),
            ByRow(play.tables[1 - role], play.taken[1 - role], met),
            ByRow(weights, weights[:, 0] > 0, own),
        )

    def _after_bet(self, history: tuple[int, ...], reach: Weights) -> float:
        """Return the value of an own bet, the last of `history`.

        `reach` is the probability that the opponent is there with each of its hands; it need not
        sum to 1.
        """
        place = history[-1]
        weights = self._play.weights(1 - self._role, history)
        # A hand with which the tables never reach this node doubts.
        doubting = np.where(weights.sum(0) > 0, weights[0], 1)
        value: float = (reach * doubting) @ self._doubts[True][place - 1]
        for action in np.flatnonzero(weights[1:].any(1)) + 1:
            value += self._on_turn((*history, place + int(action)), reach * weights[action])
        return value

    def _on_turn(self, history: tuple[int, ...], reach: Weights) -> float:
        """Return the value of a turn of the seat, which continues by the tables."""
        place = history[-1]
        doubt = float(reach @ self._doubts[False][place - 1])
        if reach.sum() < _UNLIKELY:
            return doubt
        weights = self._play.weights(self._role, history)
        own = weights[:, self._hand]
        if own.any():
            value = float(own[0]) * doubt
            for action in np.flatnonzero(own[1:]) + 1:
                value += own[action] * self._after_bet((*history, place + int(action)), reach)
            return float(value)
        # After a bet of its own that the tables do not place, it takes the best of the doubt and of
        # the actions of other hands.
        raised = [
            self._after_bet((*history, place + int(action)), reach)
            for action in np.flatnonzero(weights[1:].any(1)) + 1
        ]
        return max([doubt, *raised])


def _doubt_values(solved: SolvedPlay, dice: RoundDice, role: int, *, mine: bool) -> Weights:
    """Return the seat's chance to win the match after a doubt: [surplus + dice in play].

    The doubt is of its own bet (`mine`) or of the opponent's, and finds `surplus` dice more than
    the bet.
    """
    bettor, total = role if mine else 1 - role, sum(dice)
    found = np.empty(2 * total + 1)
    for surplus in range(-total, total + 1):
        left, opens = after_doubt(dice, bettor, surplus)
        if 0 in left:
            value = float(left[role] > 0)
        else:
            value = solved.values[left if opens == 0 else left[::-1]]
            value = value if opens == role else 1 - value
        found[surplus + total] = value
    return found
