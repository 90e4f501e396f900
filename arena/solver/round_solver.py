"""Counterfactual regret minimisation for one round."""

import numpy as np

from arena.solver import kernel
from arena.solver.round_game import RoundGame
from arena.solver.tables import Strategy, Table, normalised, offsets_of

_LARGE = 20
"""From so many bets on, tables hold single precision: four dice in play take gigabytes."""
_AVERAGING = 2.0
"""The strategy of iteration t counts t ** _AVERAGING times in the average."""


class RoundSolver:
    """CFR+ (Tammelin 2014): the average strategy approaches an equilibrium.

    Seats are updated in turn. Where the opponent does not come, a seat's regrets do not change and
    its average is caught up later (`_due`), so that such subtrees cost nothing.
    """

    def __init__(self, game: RoundGame) -> None:
        self.iterations = 0
        self._game = game
        self._bets = bets = len(game.bets)
        self._hands = (len(game.hands[0]), len(game.hands[1]))
        self._payoffs = (game.payoffs, np.ascontiguousarray(-game.payoffs.transpose(0, 1, 3, 2)))
        self._offsets = offsets_of(bets, self._hands)
        self._regrets, self._average = self._tables(), self._tables()
        dtype = self._regrets[0].dtype
        self._due = tuple(np.zeros((2**bets, hands), dtype) for hands in self._hands)
        self._opening_regrets = np.zeros((bets, self._hands[0]))
        self._opening_average = np.zeros((bets, self._hands[0]))
        own, other = self._hands
        self._stacks = (kernel.Stacks(bets, own, other), kernel.Stacks(bets, other, own))

    def iterate(self) -> None:
        """One update of both seats."""
        self.iterations += 1
        weight = self.iterations**_AVERAGING
        for seat in (0, 1):
            self._improve(seat, weight)

    def strategy(self) -> Strategy:
        """The average strategy so far; not a copy: it changes with further iterations."""
        for seat in (0, 1):
            kernel.catch_up(
                seat, self._bets, self._offsets, self._regrets[seat], self._average[seat],
                self._due[seat],
            )  # fmt: skip
        return Strategy(self._opening_average, self._average)

    def _improve(self, seat: int, weight: float) -> None:
        game, other = self._game, 1 - seat
        opening = normalised(self._opening_regrets)
        values = np.zeros((self._bets, self._hands[seat]))
        for bet in range(self._bets):
            reach = game.chances[other] * (opening[bet] if seat else 1.0)
            own = weight * game.chances[seat] * (1.0 if seat else opening[bet])
            if not reach.any():
                self._due[seat][1 << bet] += own
                continue
            values[bet] = kernel.walk(
                self._stacks[seat], seat, False, bet, self._offsets, self._regrets[seat],
                self._average[seat], self._regrets[other], self._due[seat], game.matching[seat],
                game.matching[other], self._payoffs[seat], reach, own,
            )  # fmt: skip
        if seat == 0:
            mean = (opening * values).sum(0)
            np.maximum(self._opening_regrets + values - mean, 0, out=self._opening_regrets)
            self._opening_average += weight * game.chances[0] * opening

    def _tables(self) -> tuple[Table, Table]:
        dtype = np.float32 if self._bets >= _LARGE else np.float64
        sizes = self._offsets[:, self._bets]
        return np.zeros(sizes[0], dtype), np.zeros(sizes[1], dtype)
