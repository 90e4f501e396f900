"""Play of whole matches that, in rounds with many dice, knows only the last bets.

From five dice in play a table of all histories does not fit into memory. Here a seat distinguishes
only the dice of both, who opened, the last bet or the last few, and its own hand. Such play
forgets, so the theory of regret minimisation promises nothing (Lanctot and others 2012); what it is
worth is measured. Rounds with few dice come from the exact solver.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.solver.by_dice import ByDice
from arena.solver.matches import ForEach, by_dice_in_play
from arena.solver.play import VALUE_DIGITS, PlayedState
from arena.solver.recall import recall_nodes
from arena.solver.round_game import RoundGame, ValueBounds, match_round, single_round
from arena.solver.search import DicePair, Values
from arena.solver.tables import lanes_for

FloatTable: TypeAlias = NDArray[np.float32]

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
    """Play of these states, smallest first; `solved` gets each. All that may follow are among them,
    or among `values`, which are those of states that are solved otherwise.

    Play knows the last `recall` bets of a round, and is improved `sweeps` times. States in `played`
    are taken as they are: an interrupted call has solved them.
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
    """Play of a round for itself (+1 or -1), which knows its last bets."""
    return _play(single_round(dice), recall, sweeps)


class _Learner:
    """One seat's play, and how it learns against the other's."""

    def __init__(self, game: RoundGame, seat: int, recall: int) -> None:
        other, bets = 1 - seat, len(game.bets)
        self._seat, self._hands = seat, len(game.hands[seat])
        lanes, other_lanes = (lanes_for(len(game.hands[s])) for s in (seat, other))
        self._nodes = recall_nodes(bets, recall)
        self._rows = self._nodes.rows
        actions = np.diff(self._rows)
        actions[0] -= 1
        even = np.repeat(1 / actions, np.diff(self._rows)).astype(np.float32)
        even[0] = 0  # before the first bet there is nothing to doubt
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
        """Improve the play of every hand against an opponent's; the value before. With no weight
        nothing changes."""
        now, trembling = opponent.play(), opponent.trembling()
        values = _sweep(
            self._seat, self._hands, weight > 0, np.float32(weight), self._nodes.places, self._rows,
            self._nodes.below, self._regrets, self._average, self._play, self._mistakes, now,
            trembling, self._other_chances, self._matching, self._worth, self._memory, _TREMBLE,
            _RARE, _MISTAKES,
        )  # fmt: skip
        return float(self._chances @ values)

    def play(self) -> FloatTable:
        """[row, hand] The play, for the opponent."""
        return np.ascontiguousarray(self._play.T)

    def trembling(self) -> FloatTable:
        """[row, hand] The play with mistakes."""
        mistakes = (1 - _BLIND) * self._mistakes + _BLIND * self._even
        return np.ascontiguousarray(((1 - _TREMBLE) * self._play + _TREMBLE * mistakes).T)

    def settle(self) -> None:
        """Play the average from now on."""
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


@njit(
    cache=True, fastmath={"contract", "reassoc", "nsz", "arcp", "nnan", "ninf"},
    error_model="numpy",
)  # fmt: skip
def _sweep(  # type: ignore[no-untyped-def]
    seat, hands, learns, weight, places, rows, below, regrets, average, play, mistakes, opponent,
    trembling, chances, matching, worth, memory, tremble, rare, scale_of_mistakes,
):  # fmt: skip
    """The values of a seat's hands; improves their play one by one, each against all hands of the
    opponent at once."""
    lanes = memory.shape[2]
    come, theirs, mine = memory[0], memory[1], memory[2]
    answered, believed = memory[3], memory[4]
    values = np.zeros(rows[1], np.float32)
    doubted = np.zeros(lanes, np.float32)
    total = np.zeros(hands, np.float64)
    zero, one, tiny = np.float32(0), np.float32(1), np.float32(1e-20)
    for hand in range(hands):
        own = play[hand]
        # How likely the round comes to each node: with the seat on turn, with the opponent.
        come[:] = zero
        theirs[:] = zero
        if seat == 0:
            come[0] = one
        else:
            theirs[0] = one
        for node in range(len(places)):
            actions = rows[node + 1] - rows[node]
            even = tremble / np.float32(actions if node else actions - 1)
            for row in range(rows[node] + 1, rows[node + 1]):
                after = below[row]
                chosen = (one - tremble) * own[row] + even
                for y in range(lanes):
                    theirs[after, y] += come[node, y] * chosen
                    come[after, y] += theirs[node, y] * trembling[row, y]
        for node in range(len(places) - 1, -1, -1):
            place, start = places[node], rows[node]
            actions = rows[node + 1] - start
            for y in range(lanes):
                mine[node, y] = zero
                answered[node, y] = zero
                doubted[y] = zero
            if place:
                count, chosen = matching[place - 1, hand], own[start]
                for y in range(lanes):
                    doubted[y] = worth[0, place - 1, count, y]
                    mine[node, y] = chosen * doubted[y]
                    answered[node, y] = opponent[start, y] * worth[1, place - 1, count, y]
            for row in range(start + 1, start + actions):
                # A number of its own: loops that read it from an array are not vectorised.
                after, chosen = below[row], own[row]
                for y in range(lanes):
                    mine[node, y] += chosen * answered[after, y]
                for y in range(lanes):
                    answered[node, y] += opponent[row, y] * mine[after, y]
            if not learns or actions == 1:
                continue
            likely = zero
            for y in range(lanes):
                believed[0, y] = chances[y] * come[node, y]
                likely += believed[0, y]
            if likely == zero:  # the seat is never on turn there
                continue
            scale = one / (likely + rare)
            expected = zero
            for y in range(lanes):
                believed[0, y] *= scale
                expected += believed[0, y] * mine[node, y]
            positive = zero
            first = 0 if place else 1
            for a in range(first, actions):
                row = start + a
                value = zero
                if a:
                    after = below[row]
                    for y in range(lanes):
                        value += believed[0, y] * answered[after, y]
                else:
                    for y in range(lanes):
                        value += believed[0, y] * doubted[y]
                values[a] = value / max(likely * scale, tiny)  # if the round is there for sure
                average[hand, row] += weight * likely * own[row]
                regrets[hand, row] = max(regrets[hand, row] + value - expected, zero)
                positive += regrets[hand, row]
            best = -one
            for a in range(first, actions):
                best = max(best, values[a])
            shares = zero
            for a in range(first, actions):
                values[a] = np.exp((values[a] - best) / scale_of_mistakes)
                shares += values[a]
            for a in range(first, actions):
                mistakes[hand, start + a] = values[a] / shares
            if positive > zero:
                for a in range(first, actions):
                    own[start + a] = regrets[hand, start + a] / positive
        for y in range(lanes):
            total[hand] += chances[y] * (mine[0, y] if seat == 0 else answered[0, y])
    return total
