"""Counterfactual regret minimisation for one round."""

import numpy as np

from arena.lab.solver.round_game import RoundGame, hands_of
from arena.lab.solver.tables import Strategy, Table, lanes_for, layout_of
from arena.lab.solver.walker import Walker

_AVERAGING = 2.0
"""The exponent of the averaging: the strategy of iteration t counts t ** _AVERAGING times."""
_REAL = np.float32
"""The type of regrets and averages; their values are proven in double precision."""


class RoundSolver:
    """A CFR+ solver (Tammelin 2014), whose average strategy approaches an equilibrium.

    Seats are updated in turn. Where the opponent's reach is zero, a seat's regrets do not change
    and its average is updated later (`_due`), so that such subtrees cost nothing.
    """

    def __init__(self, game: RoundGame) -> None:
        self.iterations = 0
        layout = layout_of(len(game.bets))
        lanes = [lanes_for(len(hands)) for hands in game.hands]
        self._walkers = (Walker(game, 0, _REAL), Walker(game, 1, _REAL))
        self._regrets: tuple[Table, Table]
        self._regrets, self._average = (
            (
                np.zeros(layout.actions(0) * lanes[0], _REAL),
                np.zeros(layout.actions(1) * lanes[1], _REAL),
            )
            for _ in range(2)
        )
        self._due = [np.zeros(layout.nodes(seat) * lanes[seat], _REAL) for seat in (0, 1)]

    def go_on_from(self, iterations: int, average: Strategy, regrets: Strategy) -> None:
        """Resume from the tables that another solver had after `iterations` iterations.

        They may be of this round or of one with slightly other payoffs. The tables are copied.
        """
        self.iterations = iterations
        for seat in (0, 1):
            self._average[seat][:] = average.weights[seat]
            self._regrets[seat][:] = regrets.weights[seat]

    def iterate(self) -> None:
        """Update both seats once."""
        self.iterations += 1
        weight = self.iterations**_AVERAGING
        for seat, walker in enumerate(self._walkers):
            regrets, average, due = self._regrets[seat], self._average[seat], self._due[seat]
            walker.improve(regrets, average, due, self._regrets[1 - seat], weight)

    def strategy(self) -> Strategy:
        """Return the average strategy so far; not a copy: it changes with further iterations."""
        for seat, walker in enumerate(self._walkers):
            walker.catch_up(self._regrets[seat], self._average[seat], self._due[seat])
        return Strategy(self._average)

    def regrets(self) -> Strategy:
        """Return the regrets that the next iteration plays by; not a copy."""
        return Strategy(self._regrets)


def bytes_needed(dice: tuple[int, int]) -> int:
    """Return the memory of a RoundSolver in bytes, nearly all of it in tables."""
    layout = layout_of(6 * sum(dice))
    return sum(
        np.dtype(_REAL).itemsize
        * lanes_for(len(hands_of(dice[seat])))
        * (2 * layout.actions(seat) + layout.nodes(seat))
        for seat in (0, 1)
    )
