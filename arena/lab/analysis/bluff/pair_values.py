"""The values of all places of a round by the hands of both seats, if both play by solved tables.

Play is taken by the last bet alone: that of tables which know more bets is averaged over the
others. So these are values of play close to the tables, and exact for that play.

Letters in the shapes of arrays: a = action, h = hand of the opener, i = hand of the other seat,
p = place: 0 before the first bet, else the number of the last bet on the track.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.games.bluff.showdown import losses_of
from arena.lab.analysis.bluff.recall import TableNodes
from arena.lab.analysis.bluff.solved_play import RoundDice, RoundPlay, SolvedPlay
from arena.lab.analysis.bluff.table import Weights, hands_of

Pairs: TypeAlias = NDArray[np.float32]
"""[h, i] The opener's chance to win the match, by the hands of both."""

_SELDOM = 1e-4
"""The reach below which play that knows all bets is not followed further."""


@dataclass(frozen=True)
class PairValues:
    """The opener's chances to win the match in the rounds that begin with certain dice."""

    solved: SolvedPlay
    play: RoundPlay

    @property
    def start(self) -> float:
        """The value with which the tables begin the round."""
        return self.solved.values[self.play.dice]

    @cached_property
    def before_roll(self) -> float:
        """The mean of the value after the roll, over all rolls."""
        opener, other = (hands_of(dice).chances for dice in self.play.dice)
        return float(opener @ self._turns[0][0] @ other)

    def after_roll(self, role: int, hand: int) -> Weights:
        """Return the values after the roll where the seat with this role has a hand: [hand].

        They are by the hands of the opposite seat.
        """
        pairs = self._turns[0][0]
        row: Pairs = pairs[hand] if role == 0 else pairs[:, hand]
        return row.astype(np.float64)

    def after_actions(self, place: int, actor: int, role: int, hand: int) -> Weights:
        """Return the values after each action at a place: [a, hand of the opposite seat].

        Args:
            place: The number of the standing bet, 0 before the first.
            actor: The role of the seat that acts: 0 for the opener, 1 for the other.
            role: The role of the seat whose hand is given.
            hand: The number of that hand.

        Returns:
            The opener's chance after a doubt (0 before the first bet), then after each higher bet.
        """
        own = hands_of(self.play.dice[role])
        bets = self._turns[1 - actor][place + 1 :]
        raised = bets[:, hand] if role == 0 else bets[:, :, hand]
        if not place:
            doubt = np.zeros(raised.shape[1])
        else:
            bet = self.play.bets[place - 1]
            theirs = hands_of(self.play.dice[1 - role]).matching[bet.face - 1]
            found = theirs + own.matching[bet.face - 1, hand] - bet.quantity
            doubt = self._doubts[1 - actor][found + sum(self.play.dice)]
        return np.concatenate([doubt[None], raised])

    @cached_property
    def _doubts(self) -> tuple[Weights, Weights]:
        """The values after a doubt, by the bettor's role: [surplus + dice in play]."""
        total = sum(self.play.dice)
        opener, other = (
            np.array(
                [
                    _after_doubt(self.solved, self.play.dice, bettor, surplus)
                    for surplus in range(-total, total + 1)
                ]
            )
            for bettor in (0, 1)
        )
        return opener, other

    @cached_property
    def _turns(self) -> tuple[Pairs, Pairs]:
        """The values at each place, by the role on turn: [p, h, i]."""
        bets, total = self.play.bets, sum(self.play.dice)
        shares = [
            [table.astype(np.float32) for table in _last_bet_play(self.play, role)]
            for role in (0, 1)
        ]
        opener, other = (hands_of(dice) for dice in self.play.dice)
        shape = len(bets) + 1, len(opener.dice), len(other.dice)
        values = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        for place in range(len(bets), -1, -1):
            surplus = np.zeros(shape[1:], np.int64)
            if place:
                bet = bets[place - 1]
                matching = opener.matching[bet.face - 1], other.matching[bet.face - 1]
                surplus = np.add.outer(*matching) - bet.quantity + total
            for role, by_hand in enumerate(("ah,ahi->hi", "ai,ahi->hi")):
                share = shares[role][place]
                doubts = self._doubts[1 - role].astype(np.float32)[surplus]
                values[role][place] = doubts * (share[0] if role else share[0][:, None])
                values[role][place] += np.einsum(by_hand, share[1:], values[1 - role][place + 1 :])
        return values


def _after_doubt(solved: SolvedPlay, dice: RoundDice, bettor: int, surplus: int) -> float:
    """Return the opener's chance to win after a doubt that finds `surplus` dice above the bet."""
    losses = losses_of(dice, bettor, 1 - bettor, surplus)
    left = dice[0] - losses[0], dice[1] - losses[1]
    if 0 in left:
        return float(left[0] > 0)
    # The seat that wins the bet opens the next round.
    opens = bettor if surplus >= 0 else 1 - bettor
    return solved.values[left] if opens == 0 else 1 - solved.values[left[::-1]]


def _last_bet_play(play: RoundPlay, role: int) -> list[Weights]:
    """Return the play of a role by the last bet alone: [p][a, h], each hand's column sums to 1."""
    if play.recall == 1:
        return play.by_place[role]
    sums = _all_bets(play, role) if play.recall is None else _several_bets(play, role)
    return [_as_shares(weights, place) for place, weights in enumerate(sums)]


def _several_bets(play: RoundPlay, role: int) -> list[Weights]:
    """Return the sums over all nodes of a place, of play that knows several bets: [p][a, h]."""
    bets, table = len(play.bets), play.tables[role].astype(np.float64)
    assert play.recall is not None
    sums = []
    for place, (first, end) in enumerate(pairwise(TableNodes.of(bets, play.recall).first_rows)):
        nodes = table[first:end].reshape(-1, bets - place + 1, table.shape[1])
        total = nodes.sum(1, keepdims=True)
        sums.append((nodes / np.where(total > 0, total, 1)).sum(0))
    return sums


def _all_bets(play: RoundPlay, role: int) -> list[Weights]:
    """Return the sums over histories weighted by reach, of play that knows all bets: [p][a, h]."""
    bets = len(play.bets)
    sums = [np.zeros((bets - p + 1, play.tables[role].shape[1])) for p in range(bets + 1)]

    def walk(history: tuple[int, ...], reach: float) -> None:
        place, turn = history[-1] if history else 0, len(history) % 2
        weights = play.weights(turn, history)
        if turn == role:
            sums[place] += weights * reach
        for bet, most in enumerate(weights[1:].max(1, initial=0), start=place + 1):
            if most * reach > _SELDOM:
                walk((*history, bet), most * reach)

    walk((), 1.0)
    return sums


def _as_shares(weights: Weights, place: int) -> Weights:
    """Return weights as probabilities.

    A hand without any doubts, or bets the lowest where no doubt is possible.
    """
    total = weights.sum(0)
    nothing = np.zeros_like(weights)
    nothing[0 if place else 1] = 1
    shares: Weights = np.where(total > 0, weights / np.where(total > 0, total, 1), nothing)
    return shares
