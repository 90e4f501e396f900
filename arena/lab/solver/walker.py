"""Walks through the histories of a round, with payoffs by lane and the memory they need."""

from typing import Any

import numpy as np

from arena.lab.solver.round_game import Floats, RoundGame
from arena.lab.solver.tables import Table, lanes_for, layout_of


def working_memory(bets: int, lanes: int, other_lanes: int, real: type) -> tuple[Any, ...]:
    """Return the arrays that walks of one seat write to, by depth."""
    depth = bets + 2
    return (
        np.zeros((depth, other_lanes), real),  # the opponent's reach probability with each hand
        np.zeros((depth, lanes), real),  # the own strategy's weight with each hand
        np.zeros((depth, bets + 1, lanes), real),  # the values of actions
        np.zeros((depth, bets + 1, lanes), real),  # the own probabilities of actions
        np.zeros((2, depth, other_lanes), real),  # factor and summand: weights to probabilities
        np.zeros((3, lanes), real),
        np.zeros((5, depth), np.int64),  # the walk's position
    )


class Walker:
    """The walks of one seat through a round, in single or double precision."""

    def __init__(
        self, game: RoundGame, seat: int, real: type, payoffs: Floats | None = None
    ) -> None:
        payoffs = game.payoffs if payoffs is None else payoffs
        other = 1 - seat
        self.seat, self.hands, bets = seat, len(game.hands[seat]), len(game.bets)
        self.lanes, self.other_lanes = (lanes_for(len(game.hands[s])) for s in (seat, other))
        layout = layout_of(bets)
        self._bets, self._real, self._counts = bets, real, game.dice[other] + 1
        self._sizes = (layout.mine, layout.others, layout.my_nodes, layout.other_nodes)
        self._chances: Floats = np.zeros(self.lanes, real)
        self._chances[: self.hands] = game.chances[seat]
        self._other_chances: Floats = np.zeros(self.other_lanes, real)
        self._other_chances[: len(game.hands[other])] = game.chances[other]
        # [bet, count, hand of the opponent]: 1 if the hand has `count` matching dice.
        self._member: Floats = np.zeros((bets, self._counts, self.other_lanes), real)
        # [whether the seat bet, bet, matching dice of the opponent, own hand]: a doubt's payoff.
        self._worth: Floats = np.zeros((2, bets, self._counts, self.lanes), real)
        for bet in range(bets):
            for count in range(self._counts):
                has = game.matching[other][bet] == count
                self._member[bet, count, : len(has)] = has
                for mine in (0, 1):
                    by_bettor = payoffs[bet, seat if mine else other]
                    by_own = -by_bettor[count] if seat else by_bettor[:, count]
                    self._worth[mine, bet, count, : self.hands] = by_own[game.matching[seat][bet]]
        self._memory = working_memory(bets, self.lanes, self.other_lanes, real)

    def improve(
        self, regrets: Table, average: Table, due: Table, opponent: Table, weight: float
    ) -> None:
        """Update the seat's regrets and average against the opponent's strategy.

        The current strategy enters the average with `weight`.
        """
        self._walk(regrets, average, due, opponent, best=False, weight=weight)

    def best_response(self, opponent: Table) -> float:
        """Return the value of the seat's best response to the opponent's strategy."""
        unused = np.zeros(0, opponent.dtype)
        values = self._walk(unused, unused, unused, opponent, best=True, weight=0.0)
        return float(self._chances @ values)

    def catch_up(self, regrets: Table, average: Table, due: Table) -> None:
        """Add to the average what is still due in subtrees that the opponent did not reach."""
        # Imported here and below, because numba is an optional dependency.
        from arena.lab.solver.kernel import catch_up

        catch_up(self.seat, self._bets, self.lanes, self.hands, self._sizes, regrets, average, due)

    def _walk(
        self,
        regrets: Table,
        average: Table,
        due: Table,
        opponent: Table,
        *,
        best: bool,
        weight: float,
    ) -> Floats:
        from arena.lab.solver.kernel import compiled_walk

        walk = compiled_walk(self.lanes, self.other_lanes, self._counts, best, self._real)
        reach, own, values = self._memory[:3]
        reach[0] = self._other_chances
        own[0] = self._chances * weight
        walk(
            self.seat, self._bets, self._sizes, regrets, average, due, opponent, self._member,
            self._worth, self._memory,
        )  # fmt: skip
        result: Floats = values[0, 0]
        return result
