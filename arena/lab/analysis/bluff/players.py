"""Models of players, and what their bets reveal of their dice.

Letters in the shapes of arrays: k = kind of player, a = action, h = hand, f = face, q = quantity
above the lowest, c = matching dice in a hand, m = own matching dice.
"""

from functools import cache, lru_cache

import numpy as np

from arena.games.bluff import STAR, Bet, Dice
from arena.games.bluff.bets import FACES
from arena.lab.analysis.bluff.table import (
    OFFSET,
    BettingTable,
    DiceCounts,
    Weights,
    binomials,
    hands_of,
    outcomes,
    spread,
    spread_of,
    tails,
)

REACH = 6
"""The number of quantities of each face, from the lowest, that others are expected to bet."""
SLIP = 0.03
"""The probability that a player of any kind acts otherwise than its model."""
TEMPERATURES = (0.008, 0.06)
"""The temperatures of two kinds of player that weigh outcomes as the sample bot `bayes` does,
exactly and roughly: the difference, in shares of the dice, that makes an action e times rarer. The
third kind is `honest`.
"""
KINDS = len(TEMPERATURES) + 1

PRESSURE, TILT, CANDOUR, TRUSTS = 0.06, 4.0, 0.5, 0.55
"""The parameters of `bayes`."""
OPENS_AT = 0.6
"""A parameter of `honest`."""


def belief(table: BettingTable, seat: int, kinds: Weights) -> Weights:
    """Return the belief about a seat's kind and hand after its bets in this round: [k, h].

    Args:
        table: The round so far.
        seat: The seat, which has dice.
        kinds: [k] The probabilities of the kinds before the round.

    Returns:
        [k, h] Probabilities that sum to 1, by Bayes' rule.
    """
    weights = joint_belief(table, seat, kinds)
    shares: Weights = weights / weights.sum()
    return shares


def joint_belief(table: BettingTable, seat: int, kinds: Weights) -> Weights:
    """Return the joint probability of a seat's kind, hand and bets in this round: [k, h].

    It is `belief` without the normalisation.
    """
    weights: Weights = kinds[:, None] * hands_of(table.hidden(seat)).chances
    for index in table.telling(seat):
        weights = weights * likelihood(table.before(index), seat, table.bets[index].bet)
    return weights


def kinds_after(
    table: BettingTable, seat: int, kinds: Weights, dice: Dice, *, doubted: bool
) -> Weights:
    """Return the probability of each kind of a seat, once its dice are shown: [k].

    The dice are shown at the end of a round; `kinds` are the probabilities before.
    """
    weights = kinds * shown_likelihood(table, seat, dice, doubted=doubted)
    shares: Weights = weights / weights.sum()
    return shares


def shown_likelihood(table: BettingTable, seat: int, dice: Dice, *, doubted: bool) -> Weights:
    """Return the probability that each kind acts as the seat did, given its dice: [k]."""
    hand = hands_of(table.hidden(seat)).dice.index(dice)
    likely = np.ones(KINDS)
    for index in table.telling(seat):
        likely *= likelihood(table.before(index), seat, table.bets[index].bet)[:, hand]
    if doubted:
        likely *= Answers(table, seat).chances[:, -1, hand]
    return likely


# Cached, because every turn evaluates the bets of the round again.
@lru_cache(maxsize=512)
def likelihood(table: BettingTable, seat: int, bet: Bet) -> Weights:
    """Return the probability that a player of each kind places this bet with each hand: [k, h]."""
    answers = Answers(table, seat)
    steps = int(bet.quantity - answers.lowest[bet.face - 1])
    if steps >= REACH:
        return np.ones((KINDS, len(answers.hands.dice)))
    return answers.chances[:, (bet.face - 1) * REACH + steps].copy()


class Answers:
    """The answers of each kind of player on turn, with each of its hands."""

    def __init__(self, table: BettingTable, seat: int) -> None:
        self.table, self.seat = table, seat
        self.hands = hands_of(table.hidden(seat))
        self.others = table.others(seat)
        self.lowest = np.array(table.lowest())
        self.missing = self.lowest[:, None] + np.arange(REACH) - table.shown()[:, None]
        """[f, q] The number of dice that must match besides those laid out."""
        worths = self._worths()
        best = worths - worths.max(0)
        likely = [np.exp(best / temperature) for temperature in TEMPERATURES]
        chosen = np.array([*likely, self._honest()])
        possible = np.isfinite(worths[:, :1])
        chosen /= chosen.sum(1, keepdims=True)
        self.chances: Weights = chosen * (1 - SLIP) + possible * (SLIP / possible.sum())
        """[k, a, h] The probability of each action: the bets by face and quantity, REACH of each
        face; then the doubt, where a bet is open.
        """

    def _worths(self) -> Weights:
        """Return the value that `bayes` expects of each action: [a, h]."""
        bets = self._worths_of_bets()[np.arange(len(FACES))[:, None], :, self.hands.matching]
        worths: Weights = bets.transpose(0, 2, 1).reshape(len(FACES) * REACH, -1)
        if not self.table.bets:
            return worths
        face = self.table.bets[-1].bet.face
        doubt = self._worths_of_doubt()[self.hands.matching[face - 1]]
        return np.concatenate([worths, doubt[None]])

    def _worths_of_bets(self) -> Weights:
        """Return the value that `bayes` expects of each bet: [f, q, m]."""
        table, seat, next_seat = self.table, self.seat, self.others[0]
        held = read_dice(table, next_seat)
        rest = spread([read_dice(table, other) for other in self.others[1:]])
        unseen = sum(table.hidden(other) for other in (seat, *self.others[1:]))
        counts = np.arange(held.shape[1])
        doubting = held[:, None] * (counts < (self.missing - expected(unseen))[:, :, None])
        found = np.add.outer(counts, np.arange(rest.shape[1])).ravel()
        own = np.arange(table.hidden(seat) + 1)
        surplus = found[:, None] + own - self.missing[:, :, None, None]
        shares = outcomes(table.counts, seat, seat, next_seat, 1.0)[surplus + OFFSET]
        doubted = (doubting[..., None] * rest[:, None, None]).reshape(len(FACES), REACH, 1, -1)
        now = table.counts[seat] / sum(table.counts) + PRESSURE
        worths: Weights = (doubted @ shares)[:, :, 0] + now * (1 - doubting.sum(2))[:, :, None]
        worths[self.lowest[:, None] + np.arange(REACH) > table.highest] = -np.inf
        return worths

    def _worths_of_doubt(self) -> Weights:
        """Return the value that `bayes` expects of a doubt: [m]."""
        table, seat = self.table, self.seat
        bettor, bet = table.bets[-1]
        face = bet.face - 1
        unseen = spread_of([read_dice(table, other)[face] for other in self.others])
        own = np.arange(table.hidden(seat) + 1)
        surplus = np.add.outer(np.arange(len(unseen)), own) + table.shown()[face] - bet.quantity
        shares = outcomes(table.counts, seat, bettor, seat, 1.0)
        worths: Weights = unseen @ shares[surplus + OFFSET]
        return worths

    def _honest(self) -> Weights:
        """Return 1 for the actions of `honest`, 0 for others: [a, h].

        Its actions are those most likely to be right.
        """
        matching = self.hands.matching
        unseen = sum(self.table.hidden(other) for other in self.others)
        likely = tails(unseen)[
            np.arange(len(FACES))[:, None, None],
            self.missing[:, :, None] - matching[:, None] + OFFSET,
        ]
        quantities = self.lowest[:, None] + np.arange(REACH)
        likely[quantities > self.table.highest] = -1
        if not self.table.bets:
            fields = np.where(np.arange(len(FACES)) == STAR - 1, 4, 2)[:, None] * quantities
            fields[STAR - 1] -= 1
            opens = (likely >= OPENS_AT) | (quantities == 1)[:, :, None]
            right = np.where(opens, fields[:, :, None], 0.0)
        else:
            right = np.where(np.arange(REACH)[:, None] == 0, likely, -1)
        right = right.reshape(len(FACES) * REACH, -1)
        if self.table.bets:
            bet = self.table.bets[-1].bet
            needed = bet.quantity - self.table.shown()[bet.face - 1] - matching[bet.face - 1]
            doubt = 1 - tails(unseen)[bet.face - 1, needed + OFFSET]
            # On a tie it doubts.
            right = np.concatenate([right, doubt[None] + 1e-9])
        best: Weights = np.where(right > right.max(0) - 1e-12, 1.0, 0.0)
        return best


def read_dice(table: BettingTable, seat: int) -> Weights:
    """Return the distribution of a seat's matching hidden dice as `bayes` reads its bets: [f, c].

    They are tilted towards the faces that the seat bet on, and weighted by how likely each bet is
    true given the seat's own dice.
    """
    dice, weights = table.hidden(seat), np.ones(len(FACES))
    quantities = dict[int, int]()
    for bettor, bet in table.bets:
        if bettor == seat:
            quantities[bet.face - 1] = bet.quantity
            if bet.show:
                quantities = {}
    weights[list(quantities)] = TILT
    matching = weights + weights[-1]
    matching[-1] = weights[-1]
    read = binomials(dice, matching / weights.sum())
    unseen = sum(table.counts) - sum(map(len, table.laid_out)) - dice
    for face, quantity in quantities.items():
        missing = quantity - table.shown()[face] - np.arange(dice + 1)
        likely = read[face] * tails(unseen)[face, missing + OFFSET] ** CANDOUR
        if likely.any():
            read[face] = likely / likely.sum()
    return read


# The cache is bounded by the dice in play.
@cache
def expected(dice: int) -> DiceCounts:
    """Return the largest n with P(n or more of `dice` fair dice match) >= TRUSTS: [f, 1]."""
    likely = tails(dice)[:, OFFSET:] >= TRUSTS - 1e-9
    most: DiceCounts = likely.sum(1, keepdims=True) - 1
    return most
