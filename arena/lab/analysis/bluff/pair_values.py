"""The values of all places of a round by the hands of both seats, for two known players.

Their play is taken by the last bet alone, so the values are exact for such play and close to those
of players who know more.

Letters in the shapes of arrays: a = action, h = hand of the opener, i = hand of the other seat,
p = place: 0 before the first bet, else the number of the last bet on the track.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.games.bluff import Bet
from arena.games.bluff.bets import track
from arena.games.bluff.showdown import losses_of
from arena.lab.analysis.bluff.last_bet_play import LastBetPlay, Model, by_model, by_tables
from arena.lab.analysis.bluff.solved_play import RoundDice, SolvedPlay
from arena.lab.analysis.bluff.table import Weights, hands_of

Pairs: TypeAlias = NDArray[np.float16]
"""[h, i] The opener's chance to win the match, by the hands of both.

In half precision, as there are many. The estimates remain exact: they take the mean of these
numbers themselves.
"""
RoundKey: TypeAlias = tuple[RoundDice, tuple[LastBetPlay, LastBetPlay]]
"""The dice of a round and the players, the opener's first."""

MOST_SETS: Final = 2 + len(Model)
"""The most sets of values of `ValueSets.of`."""


class ValueSets:
    """The values of matches between all pairs of three players: the tables and the models."""

    def __init__(self, solved: SolvedPlay) -> None:
        """Prepare for the play of solved tables; values are computed when they are needed."""
        self.most_dice = max(own for own, _ in solved.rounds)
        """The most dice of a seat."""
        self._solved, self._tables = solved, by_tables(solved)
        self._models = {model: by_model(model) for model in Model}
        self._rounds = dict[RoundKey, PairValues]()

    def of(self, known: Model | None = None) -> list["MatchValues"]:
        """Return the values of matches against each of the players, and those of the tables.

        Args:
            known: The model that comes close to the seat whose play is known; None if the tables
                do.
        """
        tables, models = self._tables, self._models.values()
        if known is None:
            return [self._match(tables, other) for other in (tables, *models)]
        own = self._models[known]
        pairs = [(own, other) for other in (tables, *models)]
        return [self._match(*pair) for pair in ((tables, tables), *pairs)]

    def _match(self, known: LastBetPlay, other: LastBetPlay) -> "MatchValues":
        starts = self._solved.values if known is other is self._tables else {}
        return MatchValues(known, other, starts, self._rounds)


class MatchValues:
    """The values of matches between two players; each round is computed when it is needed."""

    def __init__(
        self,
        known: LastBetPlay,
        other: LastBetPlay,
        starts: Mapping[RoundDice, float],
        rounds: "dict[RoundKey, PairValues]",
    ) -> None:
        """Prepare for the matches of two players, who may be the same.

        Args:
            known: The play of the seat that declares its own, or what comes close to it.
            other: The play that is expected of the other seat.
            starts: The opener's chance to win by the dice of a round, where it is known better.
            rounds: What is computed, to be shared with the values of other matches.
        """
        self._players, self._starts = (known, other), starts
        self._rounds = rounds

    def round(self, dice: RoundDice, opener: int) -> "PairValues":
        """Return the values of the rounds with the opener's dice and the other's.

        Args:
            dice: The opener's dice and the other's.
            opener: 0 if the known player opens, 1 if the other does.
        """
        players = self._players[opener], self._players[1 - opener]
        if (dice, players) not in self._rounds:
            self._rounds[dice, players] = PairValues(
                dice,
                players,
                lambda left, opens: self.start(left, opener if opens == 0 else 1 - opener),
            )
        return self._rounds[dice, players]

    def start(self, dice: RoundDice, opener: int) -> float:
        """Return the chance to win of the seat that opens a round, before the roll."""
        found = self._starts.get(dice)
        return self.round(dice, opener).before_roll if found is None else found


@dataclass(frozen=True)
class PairValues:
    """The opener's chances to win the match in the rounds that begin with certain dice."""

    dice: RoundDice
    players: tuple[LastBetPlay, LastBetPlay]
    """The opener and the other."""
    starts: Callable[[RoundDice, int], float]
    """The chance to win of the seat that opens the next round, by its dice and the other's, and by
    the role that it has in this round.
    """

    @cached_property
    def before_roll(self) -> float:
        """The mean of the value after the roll, over all rolls."""
        opener, other = (hands_of(dice).chances for dice in self.dice)
        return float(opener @ self._turns[0][0].astype(np.float64) @ other)

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
        bets = self._turns[1 - actor][place + 1 :]
        raised = bets[:, hand] if role == 0 else bets[:, :, hand]
        nothing = np.zeros(raised.shape[1])
        doubt = self.after_doubt(place, actor, role, hand) if place else nothing
        return np.concatenate([doubt[None], raised.astype(np.float64)])

    def after_doubt(self, place: int, actor: int, role: int, hand: int) -> Weights:
        """Return the values after a doubt: [hand of the opposite seat].

        The arguments are those of `after_actions`; there must be a bet.
        """
        bet = self.bets[place - 1]
        own, theirs = (hands_of(dice).matching[bet.face - 1] for dice in self._dice_from(role))
        found = theirs + own[hand] - bet.quantity
        values: Weights = self._doubts[1 - actor][found + sum(self.dice)]
        return values

    def _dice_from(self, role: int) -> RoundDice:
        return self.dice if role == 0 else self.dice[::-1]

    @cached_property
    def bets(self) -> tuple[Bet, ...]:
        """All bets of the round, ascending."""
        return track(sum(self.dice))

    @cached_property
    def _doubts(self) -> tuple[Weights, Weights]:
        """The values after a doubt, by the bettor's role: [surplus + dice in play]."""
        total = sum(self.dice)
        opener, other = (
            np.array([self._after_doubt(bettor, surplus) for surplus in range(-total, total + 1)])
            for bettor in (0, 1)
        )
        return opener, other

    def _after_doubt(self, bettor: int, surplus: int) -> float:
        """Return the opener's chance to win after a doubt that finds `surplus` above the bet."""
        losses = losses_of(self.dice, bettor, 1 - bettor, surplus)
        left = self.dice[0] - losses[0], self.dice[1] - losses[1]
        if 0 in left:
            return float(left[0] > 0)
        # The seat that wins the bet opens the next round.
        opens = bettor if surplus >= 0 else 1 - bettor
        return self.starts(left, 0) if opens == 0 else 1 - self.starts(left[::-1], 1)

    @cached_property
    def _turns(self) -> tuple[Pairs, Pairs]:
        """The values at each place, by the role on turn: [p, h, i]."""
        bets, total = self.bets, sum(self.dice)
        shares = [
            [table.astype(np.float32) for table in player(self.dice, role)]
            for role, player in enumerate(self.players)
        ]
        opener, other = (hands_of(dice) for dice in self.dice)
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
        return values[0].astype(np.float16), values[1].astype(np.float16)
