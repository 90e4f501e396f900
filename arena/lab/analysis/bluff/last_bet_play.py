"""Two-seat Bluff play that depends only on the last bet: by solved tables, and by models.

Letters in the shapes of arrays: a = action, h = hand, p = place: 0 before the first bet, else the
number of the last bet on the track.
"""

from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import partial
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from arena.games.bluff import Bet, PlacedBet
from arena.games.bluff.bets import FACES, track
from arena.lab.analysis.bluff.players import REACH, Answers
from arena.lab.analysis.bluff.recall import TableNodes
from arena.lab.analysis.bluff.solved_play import RoundDice, RoundPlay, SolvedPlay
from arena.lab.analysis.bluff.table import BettingTable, Weights

LastBetPlay: TypeAlias = Callable[[RoundDice, int], Sequence[Weights]]
"""Returns the play for the dice of a round and a role, opener (0) or other (1): [p][a, h].

Actions are the doubt, then the higher bets. Each hand's column sums to 1.
"""

_SELDOM = 1e-4
"""The reach probability below which play that knows all bets is not followed further."""


class Model(IntEnum):
    """A model of a player, by its number among the kinds of `players`."""

    BAYES = 0
    HONEST = 2


def by_tables(solved: SolvedPlay) -> LastBetPlay:
    """Return the play of solved tables; if it knows earlier bets, it is averaged over them."""
    return lambda dice, role: _of_tables(solved.rounds[dice], role)


def by_model(model: Model) -> LastBetPlay:
    """Return the play of a model that sees no bet but the last."""
    return partial(_of_model, model)


def _of_model(model: Model, dice: RoundDice, role: int) -> list[Weights]:
    bets = track(sum(dice))
    numbers = {bet: number for number, bet in enumerate(bets, start=1)}
    play = []
    for place in range(len(bets) + 1):
        placed = (PlacedBet(1 - role, bets[place - 1]),) if place else ()
        answers = Answers(BettingTable(dice, ((), ()), placed, sum(dice)), role)
        chances = answers.chances[model]
        shares = np.zeros((len(bets) - place + 1, chances.shape[1]))
        if place:
            shares[0] = chances[-1]
        for index in range(len(FACES) * REACH):
            face = FACES[index // REACH]
            number = numbers.get(Bet(int(answers.lowest[face - 1]) + index % REACH, face))
            if number is not None:
                shares[number - place] = chances[index]
        play.append(_as_shares(shares, place))
    return play


def _of_tables(play: RoundPlay, role: int) -> list[Weights]:
    if play.recall == 1:
        return play.by_place[role]
    sums = _all_bets(play, role) if play.recall is None else _several_bets(play, role)
    return [_as_shares(weights, place) for place, weights in enumerate(sums)]


def _several_bets(play: RoundPlay, role: int) -> list[Weights]:
    """Return play that knows several bets, summed over all nodes of each place: [p][a, h]."""
    bets, table = len(play.bets), play.tables[role].astype(np.float64)
    assert play.recall is not None
    sums = []
    for place, (first, end) in enumerate(pairwise(TableNodes.of(bets, play.recall).first_rows)):
        nodes = table[first:end].reshape(-1, bets - place + 1, table.shape[1])
        total = nodes.sum(1, keepdims=True)
        sums.append((nodes / np.where(total > 0, total, 1)).sum(0))
    return sums


def _all_bets(play: RoundPlay, role: int) -> list[Weights]:
    """Return play that knows all bets, summed over histories weighted by reach: [p][a, h]."""
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

    A hand whose weights are all 0 doubts, or places the lowest bet if there is nothing to doubt.
    """
    total = weights.sum(0)
    nothing = np.zeros_like(weights)
    nothing[0 if place else 1] = 1
    shares: Weights = np.where(total > 0, weights / np.where(total > 0, total, 1), nothing)
    return shares
