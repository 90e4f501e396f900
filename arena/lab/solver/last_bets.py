"""Play of whole matches that, in rounds with many dice, knows only the last bets.

From five dice in play a table of all histories does not fit into memory. Here a seat distinguishes
only the dice of both, who opened, the last bet or the last few, and its own hand. This is imperfect
recall, so the theory of regret minimisation guarantees nothing (Lanctot and others 2012); the
quality of the play is measured. Rounds with few dice come from the exact solver.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.lab.solver.by_dice import ByDice
from arena.lab.solver.matches import ForEach, by_dice_in_play
from arena.lab.solver.play import VALUE_DIGITS, PlayedState
from arena.lab.solver.recall import recall_nodes
from arena.lab.solver.round_game import RoundGame, ValueBounds, match_round, single_round
from arena.lab.solver.search import DicePair, Values
from arena.lab.solver.tables import lanes_for

FloatTable: TypeAlias = NDArray[np.float32]

_AVERAGING = 2.0
"""The exponent of the averaging: the strategy of sweep t counts t ** _AVERAGING times."""
_TREMBLE = np.float32(0.05)
"""The share of actions taken by mistake where beliefs about the opponent's hand are formed, so that
they are defined after every bet."""
_MISTAKES = np.float32(0.02)
"""The loss in winning probability that makes a mistake e times rarer. So an unusual bet is believed
to come from a hand for which it costs little (McKelvey and Palfrey 1998).
"""
_BLIND = np.float32(0.02)
"""The share of mistakes in which all actions are equally likely."""
_RARE = np.float32(1e-3)
"""The frequency of a decision below which its regrets count less."""


def solve_last_bets(
    states: Collection[DicePair],
    *,
    recall: ByDice = ByDice(1),
    sweeps: ByDice,
    values: Mapping[DicePair, float] = MappingProxyType({}),
    played: Iterable[PlayedState] = (),
    solved: Callable[[PlayedState], None] = lambda _: None,
    for_each: ForEach = map,
) -> list[PlayedState]:
    """Solve the given states by the last bets alone, smallest first; `solved` receives each.

    Every state that may follow must be among them, or have its value in `values` because it is
    solved by other means.

    The play distinguishes the last `recall` bets of a round and is improved `sweeps` times. States
    in `played` are taken as they are: an interrupted call has solved them.
    """
    done = {state.dice: state for state in played}
    found: dict[DicePair, PlayedState] = {}
    known = {dice: round(value, VALUE_DIGITS) for dice, value in values.items()}
    for level in by_dice_in_play({*states} - known.keys()):
        bounds = {dice: ValueBounds(value, value) for dice, value in known.items()}
        missing = [dice for dice in level if dice not in done]
        play = partial(_play_of_match, values=bounds, recall=recall, sweeps=sweeps)
        new = for_each(play, missing)
        for dice in level:
            found[dice] = done[dice] if dice in done else next(new)
            known[dice] = found[dice].value
            solved(found[dice])
    return list(found.values())


def play_single_round(dice: DicePair, *, recall: ByDice, sweeps: ByDice) -> PlayedState:
    """Solve one round as a game of its own (payoff +1 or -1), by play that knows its last bets."""
    return _play(single_round(dice), recall, sweeps)


class _Learner:
    """One seat's play and the tables by which it learns against the other's."""

    def __init__(self, game: RoundGame, seat: int, recall: int) -> None:
        other, bets = 1 - seat, len(game.bets)
        self._seat, self._hands = seat, len(game.hands[seat])
        lanes, other_lanes = (lanes_for(len(game.hands[s])) for s in (seat, other))
        self._nodes = recall_nodes(bets, recall)
        self._rows = self._nodes.rows
        actions = np.diff(self._rows)
        actions[0] -= 1
        even = np.repeat(1 / actions, np.diff(self._rows)).astype(np.float32)
        even[0] = 0  # no doubt is possible before the first bet
        # Tables of the own play are [hand, row], as one hand learns after the other; the opponent
        # reads [row, hand].
        self._even: FloatTable = np.tile(even, (lanes, 1))
        self._play, self._mistakes = self._even.copy(), self._even.copy()
        self._regrets, self._average = np.zeros((2, *self._even.shape), np.float32)
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
        self._memory = np.zeros((5, len(self._nodes.places), other_lanes), np.float32)

    def learn(self, opponent: "_Learner", weight: float) -> float:
        """Improve the play of every hand against an opponent's, and return the value before.

        With weight 0 nothing changes.
        """
        # Imported here, because numba is an optional dependency.
        from arena.lab.solver.sweep import sweep

        now, trembling = opponent.play(), opponent.trembling()
        values = sweep(
            self._seat, self._hands, weight > 0, np.float32(weight), self._nodes.places, self._rows,
            self._nodes.below, self._regrets, self._average, self._play, self._mistakes, now,
            trembling, self._other_chances, self._matching, self._worth, self._memory, _TREMBLE,
            _RARE, _MISTAKES,
        )  # fmt: skip
        return float(self._chances @ values)

    def play(self) -> FloatTable:
        """Return the play for the opponent's tables: [row, hand], contiguous."""
        return np.ascontiguousarray(self._play.T)

    def trembling(self) -> FloatTable:
        """Return the play with mistakes mixed in: [row, hand]."""
        mistakes = (1 - _BLIND) * self._mistakes + _BLIND * self._even
        return np.ascontiguousarray(((1 - _TREMBLE) * self._play + _TREMBLE * mistakes).T)

    def settle(self) -> None:
        """Replace the current play by the average one."""
        sums = np.add.reduceat(self._average, self._rows[:-1], axis=1)
        total = np.repeat(sums, np.diff(self._rows), axis=1)
        even = total <= 0
        average = np.where(even, self._even, self._average / np.where(even, 1, total))
        self._play = average.astype(np.float32)


def _play_of_match(
    dice: DicePair, *, values: Values, recall: ByDice, sweeps: ByDice
) -> PlayedState:
    return _play(match_round(dice, values), recall, sweeps)


def _play(game: RoundGame, recall: ByDice, sweeps: ByDice) -> PlayedState:
    began = time.monotonic()
    known, times = recall.at(sum(game.dice)), sweeps.at(sum(game.dice))
    opener, other = _Learner(game, 0, known), _Learner(game, 1, known)
    for sweep in range(1, times + 1):
        weight = (sweep / times) ** _AVERAGING
        opener.learn(other, weight)
        other.learn(opener, weight)
    opener.settle()
    other.settle()
    value = round(opener.learn(other, 0.0), VALUE_DIGITS)
    play = [
        one.play()[:, : len(game.hands[seat])].astype(np.float64)
        for seat, one in enumerate((opener, other))
    ]
    seconds = time.monotonic() - began
    return PlayedState(game.dice, value, known, (play[0], play[1]), times, seconds)
