"""Play of whole matches that, in rounds with many dice, knows only the last bet.

From five dice in play a table of all histories does not fit into memory. Here a seat distinguishes
only the dice of both, who opened, the last bet and its own hand. Such play forgets, so the theory
of regret minimisation promises nothing (Lanctot and others 2012); what it is worth is measured.
Rounds with few dice come from the exact solver.
"""

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.solver.matches import DicePair, SolvedState
from arena.solver.play import PlayedState, exact_play, rows_of
from arena.solver.round_game import RoundGame, ValueBounds, match_round
from arena.solver.tables import lanes_for

FloatTable: TypeAlias = NDArray[np.float32]

DICE: Final = 5
"""Dice per seat at the start of a match."""

_AVERAGING = 2.0
"""The strategy of sweep t counts t ** _AVERAGING times in the average."""
_TREMBLE = np.float32(0.05)
"""The share of actions taken by mistake where beliefs about the opponent's hand are formed, so that
they are defined after every bet."""
_MISTAKES = np.float32(0.02)
"""How much worse, in chances to win, an action is that is taken by mistake e times as rarely. So an
unusual bet is believed to come from a hand for which it costs little (McKelvey and Palfrey 1998).
"""
_BLIND = np.float32(0.02)
"""The share of mistakes in which all actions are equally likely."""
_RARE = np.float32(1e-3)
"""Regrets of decisions that come up less often than this count less."""


def solve_last_bet(
    *,
    dice: int = DICE,
    sweeps: int,
    known: Iterable[SolvedState] = (),
    solved: Callable[[PlayedState], None] = lambda _: None,
) -> list[PlayedState]:
    """All states of a match, smallest first; `solved` gets each of them.

    States in `known` are taken as they are.
    """
    exact = {state.dice: state for state in known}
    states: dict[DicePair, PlayedState] = {}
    pairs = [(opener, other) for opener in range(1, dice + 1) for other in range(1, dice + 1)]
    for pair in sorted(pairs, key=lambda pair: (sum(pair), pair)):
        values = {known: ValueBounds(one.value, one.value) for known, one in states.items()}
        if pair in exact:
            states[pair] = exact_play(exact[pair])
        else:
            states[pair] = _solve(match_round(pair, values), sweeps)
        solved(states[pair])
    return list(states.values())


class _Learner:
    """One seat's play, and how it learns against the other's."""

    def __init__(self, game: RoundGame, seat: int) -> None:
        other, bets = 1 - seat, len(game.bets)
        self._seat, self._hands = seat, len(game.hands[seat])
        lanes, other_lanes = (lanes_for(len(game.hands[s])) for s in (seat, other))
        self._rows = rows_of(bets)
        actions = np.diff(self._rows)
        actions[0] -= 1
        even = np.repeat(1 / actions, np.diff(self._rows))[:, None] * np.ones(lanes)
        self.now: FloatTable = even.astype(np.float32)
        self.now[0] = 0  # before the first bet there is nothing to doubt
        self._even = self.now.copy()
        self._regrets, self._average = np.zeros_like(self.now), np.zeros_like(self.now)
        self._mistakes = self.now.copy()
        self._chances = game.chances[seat]
        self._other_chances = np.zeros(other_lanes, np.float32)
        self._other_chances[: len(game.hands[other])] = game.chances[other]
        self._matching = game.matching[seat]
        # [whether the seat bet, bet, own matching dice, hand of the opponent]: a doubt's payoff.
        self._worth = np.zeros((2, bets, game.dice[seat] + 1, other_lanes), np.float32)
        for bet in range(bets):
            for mine in (0, 1):
                paid = game.payoffs[bet, seat if mine else other]
                by_own = -paid.T if seat else paid
                their = game.matching[other][bet]
                self._worth[mine, bet, :, : len(their)] = by_own[:, their]
        self._memory = np.zeros((5, bets + 1, other_lanes), np.float32)

    def learn(self, opponent: "_Learner", weight: float) -> float:
        """Improve the play of every hand against an opponent's; the value before. With no weight
        nothing changes."""
        values = _sweep(
            self._seat, self._hands, weight > 0, np.float32(weight), self._rows, self._regrets,
            self._average, self.now, self._mistakes, opponent.now, opponent.trembling(),
            self._other_chances, self._matching, self._worth, self._memory, _TREMBLE, _RARE,
            _MISTAKES,
        )  # fmt: skip
        return float(self._chances @ values)

    def trembling(self) -> FloatTable:
        """The play with mistakes."""
        mistakes = (1 - _BLIND) * self._mistakes + _BLIND * self._even
        return ((1 - _TREMBLE) * self.now + _TREMBLE * mistakes).astype(np.float32)

    def settle(self) -> None:
        """Play the average from now on."""
        sums = np.add.reduceat(self._average, self._rows[:-1])
        total = np.repeat(sums, np.diff(self._rows), axis=0)
        even = total <= 0
        average = np.where(even, self._even, self._average / np.where(even, 1, total))
        self.now = average.astype(np.float32)


def _solve(game: RoundGame, sweeps: int) -> PlayedState:
    opener, other = _Learner(game, 0), _Learner(game, 1)
    for sweep in range(1, sweeps + 1):
        weight = (sweep / sweeps) ** _AVERAGING
        opener.learn(other, weight)
        other.learn(opener, weight)
    opener.settle()
    other.settle()
    value = opener.learn(other, 0.0)
    play = [
        one.now[:, : len(game.hands[seat])].astype(np.float64)
        for seat, one in enumerate((opener, other))
    ]
    return PlayedState(game.dice, value, False, (play[0], play[1]))


@njit(
    cache=True, fastmath={"contract", "reassoc", "nsz", "arcp", "nnan", "ninf"},
    error_model="numpy",
)  # fmt: skip
def _sweep(  # type: ignore[no-untyped-def]
    seat, hands, learns, weight, rows, regrets, average, now, mistakes, opponent, trembling,
    chances, matching, worth, memory, tremble, rare, scale_of_mistakes,
):  # fmt: skip
    """The values of a seat's hands; improves their play one by one, each against all hands of the
    opponent at once."""
    places, lanes = memory.shape[1], memory.shape[2]
    bets = places - 1
    come, theirs, mine, answered, believed = memory
    own = np.zeros(rows[-1], np.float32)
    values = np.zeros(places + 1, np.float32)
    doubted = np.zeros(lanes, np.float32)
    total = np.zeros(hands, np.float64)
    zero, one, tiny = np.float32(0), np.float32(1), np.float32(1e-20)
    for hand in range(hands):
        for row in range(len(own)):
            own[row] = now[row, hand]
        # How likely the round comes to each place: with the seat on turn, with the opponent.
        come[:] = zero
        theirs[:] = zero
        if seat == 0:
            come[0] = one
        else:
            theirs[0] = one
        for place in range(bets):
            actions = bets - place + 1
            even = tremble / np.float32(actions if place else actions - 1)
            for a in range(1, actions):
                row = rows[place] + a
                chosen = (one - tremble) * own[row] + even
                for y in range(lanes):
                    theirs[place + a, y] += come[place, y] * chosen
                    come[place + a, y] += theirs[place, y] * trembling[row, y]
        for place in range(bets, -1, -1):
            actions, start = bets - place + 1, rows[place]
            for y in range(lanes):
                mine[place, y] = zero
                answered[place, y] = zero
                doubted[y] = zero
            if place:
                count = matching[place - 1, hand]
                for y in range(lanes):
                    doubted[y] = worth[0, place - 1, count, y]
                    mine[place, y] = own[start] * doubted[y]
                    answered[place, y] = opponent[start, y] * worth[1, place - 1, count, y]
            for a in range(1, actions):
                for y in range(lanes):
                    mine[place, y] += own[start + a] * answered[place + a, y]
                    answered[place, y] += opponent[start + a, y] * mine[place + a, y]
            if not learns or place == bets or (place < 2 - seat and (seat or place)):
                continue
            likely = zero
            for y in range(lanes):
                believed[0, y] = chances[y] * come[place, y]
                likely += believed[0, y]
            scale = one / (likely + rare)
            expected = zero
            for y in range(lanes):
                believed[0, y] *= scale
                expected += believed[0, y] * mine[place, y]
            positive = zero
            for a in range(0 if place else 1, actions):
                value = zero
                if a:
                    for y in range(lanes):
                        value += believed[0, y] * answered[place + a, y]
                else:
                    for y in range(lanes):
                        value += believed[0, y] * doubted[y]
                row = start + a
                values[a] = value / max(likely * scale, tiny)  # if the round is there for sure
                average[row, hand] += weight * likely * own[row]
                regrets[row, hand] = max(regrets[row, hand] + value - expected, zero)
                positive += regrets[row, hand]
            best = -one
            for a in range(0 if place else 1, actions):
                best = max(best, values[a])
            shares = zero
            for a in range(0 if place else 1, actions):
                values[a] = np.exp((values[a] - best) / scale_of_mistakes)
                shares += values[a]
            for a in range(0 if place else 1, actions):
                mistakes[start + a, hand] = values[a] / shares
            if positive > zero:
                for a in range(0 if place else 1, actions):
                    now[start + a, hand] = regrets[start + a, hand] / positive
        for y in range(lanes):
            total[hand] += chances[y] * (mine[0, y] if seat == 0 else answered[0, y])
    return total
