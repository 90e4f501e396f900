"""Responses to a bot of Bluff at two seats: learned by playing against it, or by the solved tables.

Learned: Q-learning (Watkins 1989) with a table: what each action was worth on average in each
situation, which is the dice of both, the own roll and the bets of the round. It explores by upper
confidence bounds (UCB1, Auer and others 2002). Nothing is asked of the bot but its actions, so it
may draw them at random or remember the match. The table is small enough with one or two dice each.

Local: with more dice, the action that is best if both play by the solved tables from there on, with
beliefs about the bot's hand as if it had bet by them so far (local best response; Lisý and Bowling
2017). It needs no training, and is nearly a best response to play by the tables; to others it is
one of many.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from math import log, sqrt
from random import Random
from typing import Final

from arena.bot.bot import AnyBot, Bot
from arena.bot.turn import Match, Turn
from arena.games.bluff import BluffChoice, BluffView, Doubt
from arena.games.bluff.bets import track
from arena.lab.analysis.bluff.solved_play import SolvedPlay
from arena.lab.analysis.values import BluffTables
from arena.match.transcript import Transcript

_EXPLORES: Final = 0.3
"""The weight of the confidence bound while learning."""
_DOUBTS_ITSELF: Final = 1.0
"""Afterwards, how many standard deviations a rarely tried action must look better."""


class ResponseTable:
    """The value of actions, by situation."""

    def __init__(self) -> None:
        self._tried: dict[Hashable, dict[BluffChoice, list[float]]] = defaultdict(dict)
        """By situation and action: how often it was taken, and its mean value."""

    def __len__(self) -> int:
        return len(self._tried)

    def explore(
        self, situation: Hashable, actions: Sequence[BluffChoice], random: Random
    ) -> BluffChoice:
        """Return an action to learn from: one that was never tried, or the most promising."""
        tried = self._tried[situation]
        untried = [action for action in actions if action not in tried]
        if untried:
            return random.choice(untried)
        wide = log(sum(count for count, _ in tried.values()))
        return max(tried, key=lambda one: tried[one][1] + _EXPLORES * sqrt(wide / tried[one][0]))

    def best(self, situation: Hashable) -> BluffChoice | None:
        """Return the best action as far as is known; None in an unknown situation."""
        tried = self._tried.get(situation)
        if not tried:
            return None
        # The standard deviation of a single result is at most 1/2.
        return max(tried, key=lambda one: tried[one][1] - _DOUBTS_ITSELF / sqrt(4 * tried[one][0]))

    def value(self, situation: Hashable) -> float:
        """Return what the situation is worth if the best action follows; 1/2 if it is unknown."""
        tried = self._tried.get(situation)
        return max((mean for _, mean in tried.values()), default=0.5) if tried else 0.5

    def learn(self, situation: Hashable, action: BluffChoice, worth: float) -> None:
        """Count what came of an action."""
        entry = self._tried[situation].setdefault(action, [0, 0.0])
        entry[0] += 1
        # Values of later situations improve, so that late ones count more than in a mean.
        entry[1] += (worth - entry[1]) / entry[0] ** 0.8


def situation_of(view: BluffView) -> Hashable:
    """Return what a seat knows of the round."""
    bets = tuple((placed.bet.quantity, placed.bet.face) for placed in view.bets)
    assert view.seat is not None  # a decision is a seat's
    counts = view.dice_counts[view.seat], view.dice_counts[1 - view.seat]
    return counts, view.hidden_dice, bets


def actions_of(view: BluffView) -> list[BluffChoice]:
    """Return the doubt, if a bet stands, and the legal bets without lay-outs."""
    bets = track(view.highest)
    above = bets.index(view.bets[-1].bet) + 1 if view.bets else 0
    return [*([Doubt()] if view.can_doubt else []), *bets[above:]]


def responder(table: ResponseTable, *, learns: bool) -> type[AnyBot]:
    """Return a bot that learns the table while it plays, or plays the best of it."""

    class Responder(Bot[BluffView, BluffChoice]):
        def match_started(self, match: Match) -> None:
            self.seat = match.seat
            self.before: tuple[Hashable, BluffChoice] | None = None

        def act(self, turn: Turn[BluffView, BluffChoice]) -> BluffChoice:
            situation, actions = situation_of(turn.view), actions_of(turn.view)
            if not learns:
                best = table.best(situation)
                return self.random.choice(actions) if best is None else best
            if self.before is not None:
                table.learn(*self.before, table.value(situation))
            action = table.explore(situation, actions, self.random)
            self.before = situation, action
            return action

        def match_ended(self, transcript: Transcript) -> None:
            if learns and self.before is not None:
                table.learn(*self.before, float(transcript.result.placing[self.seat] == 1))

    return Responder


def local_responder(solved: SolvedPlay) -> type[AnyBot]:
    """Return a bot that takes the best action by the solved tables."""
    tables = BluffTables(solved)

    class LocalResponder(Bot[BluffView, BluffChoice]):
        def act(self, turn: Turn[BluffView, BluffChoice]) -> BluffChoice:
            found = tables.look(turn.view, Doubt())
            assert found is not None, "the tables know all rounds of up to five dice each"
            best: BluffChoice = max(found.values, key=found.values.__getitem__)
            return best

    return LocalResponder
