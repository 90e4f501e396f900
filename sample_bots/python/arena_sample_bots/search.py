"""Bluff: a bot that looks three actions ahead, over all hands that the others may hold.

Between two it plays near-equilibrium play as in the tables of `cfr`, until it is nearly certain
what kind of player the opponent is, and risks no more than the opponent gave away (`_duel`).
Otherwise:

1. Beliefs. Every hand of another seat is weighed by how likely a player with that hand would have
   made the bets that this seat made (Bayes' rule), and so is every kind of player that it may be:
   one that weighs outcomes as `bayes` does, or one like `honest`. Dice that are shown at the end of
   a round reveal more about the kind.
2. Search. `Look` values each own action by what the next seat would answer with each of its hands.

Both are in `arena/lab/analysis/bluff/`, because the analysis of matches uses them too. It needs
numpy (`pip install 'bluff-arena[play]'`).
"""

from collections.abc import Mapping

import numpy as np

from arena.bot import Bot, Match, Turn, run
from arena.games.bluff import (
    Bet,
    BetPlaced,
    BluffEvent,
    BluffOptions,
    BluffRoundStarted,
    BluffView,
    Dice,
    Doubt,
    PlacedBet,
    Showdown,
)
from arena.lab.analysis.bluff.look import Look
from arena.lab.analysis.bluff.players import KINDS, belief, kinds_after
from arena.lab.analysis.bluff.solved_play import SolvedPlay, chosen
from arena.lab.analysis.bluff.table import BettingTable
from arena_sample_bots._duel import Duel


class Search(Bot[BluffView, Bet | Doubt, BluffEvent, BluffOptions]):
    """A bot that looks three actions ahead, over all hands that the others may hold."""

    max_matches = 4
    certain = 0.95
    """The total probability of the known kinds from which it plays against them, between two."""

    def match_started(self, match: Match[BluffOptions]) -> None:
        """Set the beliefs and bets of a new match."""
        self.kinds = np.full((len(match.entrants), KINDS), 1 / KINDS)
        """[seat, k] The probability of each kind."""
        self.bets: tuple[PlacedBet, ...] = ()
        """The bets of the round that the events report."""
        self.opener = 0
        self.solved = chosen() or SolvedPlay({}, {})
        self.seat, self.duel = match.seat, Duel(self.solved, self.certain)

    def act(self, turn: Turn[BluffView, Bet | Doubt, BluffEvent, BluffOptions]) -> Bet | Doubt:
        """Return the action with the highest value."""
        for event in turn.events:
            self.learn(event)
        situation = self.solved.situation(turn.view)
        if len(turn.entrants) == 2 and situation is not None:
            return self.duel.answer(turn.view, situation, self.random)
        table = BettingTable.of(turn.view)
        beliefs = {seat: belief(table, seat, self.kinds[seat]) for seat in table.others(turn.seat)}
        return self.best_of(Look(table, turn.seat, turn.view.hidden_dice, beliefs).values())

    def best_of(self, values: Mapping[Bet | Doubt, float]) -> Bet | Doubt:
        """Return an action with the highest value, a random one of several."""
        best = max(values.values())
        return self.random.choice([action for action, value in values.items() if value == best])

    def learn(self, event: BluffEvent) -> None:
        """Update the bets and, from dice that are shown, the beliefs about seats' kinds."""
        match event:
            case BluffRoundStarted():
                self.counts, self.bets, self.opener = event.dice_counts, (), event.opener
            case BetPlaced():
                self.bets = (*self.bets, PlacedBet(event.seat, event.bet))
            case Showdown() if not any(placed.bet.show for placed in self.bets):
                nothing: tuple[Dice, ...] = ((),) * len(self.counts)
                table = BettingTable(self.counts, nothing, self.bets, sum(self.counts))
                situation = self.solved.after(self.counts, self.opener, self.bets)
                if len(self.counts) == 2 and situation is not None:
                    other = 1 - self.seat
                    doubted = other == event.doubter
                    self.duel.learn(situation, table, other, event.dice[other], doubted=doubted)
                    return
                for seat, dice in enumerate(event.dice):
                    if dice:
                        self.kinds[seat] = kinds_after(
                            table, seat, self.kinds[seat], dice, doubted=seat == event.doubter
                        )
            case _:
                pass


if __name__ == "__main__":
    run(Search)
