"""Bluff between two: near-equilibrium play, with deviations limited by evidence and past gains.

1. Evidence. The opponent plays like the tables of `cfr`, like one of the kinds of `search`, or like
   neither: a stranger, whose actions are only roughly those of the tables. Bets and dice that are
   shown tell which (Bayes' rule). Without the stranger, an opponent of no kind would be taken for
   the nearest kind.
2. Answer. Once the total probability of the kinds is high enough, the bot plays the action with the
   highest value against them; before that, an action drawn from the tables.
3. Risk. What an action loses by the tables, compared with their own play there, is paid from an
   allowance: RISK of a win, and all that the opponent's actions lost by the tables' values in
   rounds whose dice were shown. By these values the bot never gives up more than that, whatever it
   believes (risk what was won in expectation: Ganzfried and Sandholm 2015). An opponent that plays
   by the tables adds little, as each of its actions is worth nearly the same.
"""

from collections.abc import Mapping, Sequence
from random import Random

import numpy as np

from arena.games.bluff import Bet, BluffView, Dice, Doubt
from arena.lab.analysis.bluff.look import Look
from arena.lab.analysis.bluff.players import KINDS, joint_belief, shown_likelihood
from arena.lab.analysis.bluff.round_values import RoundValues
from arena.lab.analysis.bluff.solved_play import SLIP, RoundPlay, Situation, SolvedPlay
from arena.lab.analysis.bluff.table import BettingTable, Weights, hands_of

PRIOR = np.array([0.5, 0.3, *[0.2 / KINDS] * KINDS])
"""The probabilities of the tables, of a stranger and of the kinds, before the opponent acts."""
STRANGER_SLIP = 0.5
"""The share of a stranger's actions that are random; the others are those of the tables."""
RISK = 0.02
"""The allowance at the start of a match, in chances to win."""


class Duel:
    """The beliefs of a bot about its only opponent, and its allowance."""

    def __init__(self, solved: SolvedPlay, certain: float) -> None:
        """Begin a match.

        Args:
            solved: The tables.
            certain: The total probability of the kinds from which the bot plays against them.
        """
        self._solved, self._certain = solved, certain
        self.beliefs = PRIOR.copy()
        """The probabilities of the tables, of a stranger and of each kind."""
        self.allowance = RISK
        """The part of the allowance that is left, in chances to win."""

    def answer(self, view: BluffView, situation: Situation, random: Random) -> Bet | Doubt:
        """Return the action to play in a situation that the tables know."""
        assert view.seat is not None
        table, dice = BettingTable.of(view), view.hidden_dice
        (other,) = table.others(view.seat)
        play, history = situation.play, situation.history
        by_tables = self._weighed(play, situation.role(other), history, table.hidden(other))
        by_kinds = joint_belief(table, other, np.ones(KINDS))
        likely = np.array([*by_tables.sum(1), *by_kinds.sum(1)])
        beliefs = self.beliefs * likely
        beliefs /= beliefs.sum()
        role, place = situation.role(view.seat), (history or [0])[-1]
        own = _own_play(play, role, history, dice)
        drawn = random.choices(range(len(own)), own.tolist())[0]
        kinds = float(beliefs[2:].sum())
        if kinds < self._certain:
            return play.bets[place + drawn - 1] if drawn else Doubt()
        solved = RoundValues(self._solved, play, role, dice).values(
            history, by_tables[0] / by_tables[0].sum()
        )
        weighed = beliefs[2:, None] * by_kinds / by_kinds.sum(1, keepdims=True)
        searched = Look(table, view.seat, dice, {other: weighed / weighed.sum()}).values()
        rows = dict(enumerate(play.bets[place:], 1))
        by_solved = {Doubt(): float(solved[0])} | {rows[row]: float(solved[row]) for row in rows}
        worth = {
            action: kinds * value + (1 - kinds) * by_solved[action]
            for action, value in searched.items()
        }
        average = float(own @ solved)
        cost = {action: average - by_solved[action] for action in worth}
        return self._affordable(worth, cost) or (play.bets[place + drawn - 1] if drawn else Doubt())

    def _affordable(
        self, worth: Mapping[Bet | Doubt, float], cost: Mapping[Bet | Doubt, float]
    ) -> Bet | Doubt | None:
        """Return the best action that the allowance covers, and pay for it."""
        covered = [action for action in worth if cost[action] <= self.allowance]
        if not covered:
            return None
        best = max(covered, key=worth.__getitem__)
        self.allowance -= max(0.0, cost[best])
        return best

    def learn(
        self, situation: Situation, table: BettingTable, seat: int, dice: Dice, *, doubted: bool
    ) -> None:
        """Update the beliefs and the allowance by a round of the opponent whose dice are shown.

        Args:
            situation: The situation at the end of the round.
            table: The table then.
            seat: The opponent's seat.
            dice: Its dice.
            doubted: Whether it ended the round by a doubt.
        """
        play, role, history = situation.play, situation.role(seat), situation.history
        hand = hands_of(len(dice)).dice.index(dice)
        by_tables = [
            play.likelihood(role, history, doubted=doubted, slip=slip)[hand]
            for slip in (SLIP, STRANGER_SLIP)
        ]
        kinds = shown_likelihood(table, seat, dice, doubted=doubted)
        self.beliefs = self.beliefs * np.array([*by_tables, *kinds])
        self.beliefs /= self.beliefs.sum()
        self.allowance += self._given(play, role, history, dice, doubted=doubted)

    def _given(
        self, play: RoundPlay, role: int, history: Sequence[int], dice: Dice, *, doubted: bool
    ) -> float:
        """Return what the opponent's actions of a round lost by the tables' values."""
        values, given = RoundValues(self._solved, play, role, dice), 0.0
        for index in range(role, len(history) + doubted, 2):
            before = history[:index]
            place = before[-1] if before else 0
            found = values.values(before, values.belief(before))
            taken = history[index] - place if index < len(history) else 0
            own = _own_play(play, role, before, dice)
            given += max(0.0, float(own @ found - found[taken]))
        return given

    def _weighed(self, play: RoundPlay, role: int, history: Sequence[int], dice: int) -> Weights:
        """Return the joint probability of the opponent's hand and bets: [tables or stranger, h]."""
        chances = hands_of(dice).chances
        return np.array(
            [chances * play.likelihood(role, history, slip=slip) for slip in (SLIP, STRANGER_SLIP)]
        )


def _own_play(play: RoundPlay, role: int, history: Sequence[int], dice: Dice) -> Weights:
    """Return the probability of each action by the tables: [a], the doubt first."""
    weights = play.weights(role, history)[:, hands_of(len(dice)).dice.index(dice)]
    if not weights.any():  # a node that the tables never reach
        weights = np.zeros(len(weights))
        weights[0 if history else 1] = 1.0
    shares: Weights = weights / weights.sum()
    return shares
