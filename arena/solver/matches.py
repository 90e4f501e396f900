"""Rounds and whole matches solved until their values are known well enough."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from arena.solver.best_response import proven_bounds
from arena.solver.round_game import RoundGame, ValueBounds, match_round, single_round
from arena.solver.round_solver import RoundSolver
from arena.solver.tables import Strategy

DicePair: TypeAlias = tuple[int, int]
"""The opener's dice and the other's."""

MOST_DICE: Final = 4
"""DicePair in play of a round whose histories still fit into memory: 16 million and 8 GB."""

_FIRST_LOOK, _NEXT_LOOK = 50, 1.25
"""Bounds are computed after so many iterations, and again whenever that grew by this factor."""
_OF_LATER_ROUNDS = 0.25
"""Later rounds are solved to this part of the width, because their bounds add up."""


@dataclass(frozen=True)
class SolvedState:
    """What is known of the rounds that begin with these dice."""

    dice: DicePair
    bounds: ValueBounds
    """Between them lies the opener's probability to win the match, or its mean result of a single
    round."""
    exploitability: float
    """What a best response to the round's strategy gains, on average of both seats."""
    iterations: int
    seconds: float
    strategy: Strategy

    @property
    def value(self) -> float:
        """The middle of the bounds."""
        return sum(self.bounds) / 2


@dataclass(frozen=True)
class Progress:
    """How far the solving of one round is."""

    dice: DicePair
    iterations: int
    width: float
    """Between the bounds."""
    target: float
    seconds: float


Report: TypeAlias = Callable[[Progress], None]


def solve_round(
    dice: DicePair, *, width: float, until: float = float("inf"), report: Report = lambda _: None
) -> SolvedState:
    """One round for itself (+1 or -1), until its bounds are `width` apart or `time.monotonic()` has
    reached `until`."""
    return _solve(single_round(dice), None, width, until, report)


def solve_match(
    dice: DicePair,
    *,
    width: float,
    until: float = float("inf"),
    known: Iterable[SolvedState] = (),
    report: Report = lambda _: None,
    solved: Callable[[SolvedState], None] = lambda _: None,
) -> SolvedState:
    """The round and all that may follow it; `solved` gets each of them, smallest first.

    States in `known` are taken as they are.
    """
    states = {state.dice: state for state in known}
    for later in states_before(dice):
        if later not in states:
            part = width if later == dice else width * _OF_LATER_ROUNDS
            bounds = {state.dice: state.bounds for state in states.values()}
            states[later] = solve_state(later, bounds, part, until, report)
            solved(states[later])
    return states[dice]


def solve_state(
    dice: DicePair,
    values: Mapping[DicePair, ValueBounds],
    width: float,
    until: float,
    report: Report,
) -> SolvedState:
    """The round of a match, given the values of all that may follow."""
    return _solve(match_round(dice, values), values, width, until, report)


def certified_state(state: SolvedState, values: Mapping[DicePair, ValueBounds]) -> SolvedState:
    """A state of a match with the bounds that its strategy proves, given those of later rounds."""
    game = match_round(state.dice, values)
    bounds, exploitability = _certified(game, state.strategy, values)
    return replace(state, bounds=bounds, exploitability=exploitability)


def _certified(
    game: RoundGame, strategy: Strategy, values: Mapping[DicePair, ValueBounds] | None
) -> tuple[ValueBounds, float]:
    """The proven bounds, with later rounds at their worst and their best, and the exploitability
    in the round alone."""
    alone = proven_bounds(game, strategy)
    exploitability = (alone.high - alone.low) / 2
    if values is None:
        return alone, exploitability
    low, high = (match_round(game.dice, values, side).payoffs for side in ("low", "high"))
    worst, best = proven_bounds(game, strategy, low), proven_bounds(game, strategy, high)
    return ValueBounds(worst.low, best.high), exploitability


def states_before(dice: DicePair) -> list[DicePair]:
    """All states that may follow, and the state itself, by dice in play."""
    opener, other = dice
    own = range(1, max(dice) + 1)
    reached = {
        (a, b)
        for a in own
        for b in own
        if a + b < opener + other and (_fits((a, b), dice) or _fits((b, a), dice))
    }
    return [*sorted(reached, key=lambda state: (sum(state), state)), dice]


def _fits(later: DicePair, dice: DicePair) -> bool:
    return later[0] <= dice[0] and later[1] <= dice[1]


def _solve(
    game: RoundGame,
    values: Mapping[DicePair, ValueBounds] | None,
    width: float,
    until: float,
    report: Report,
) -> SolvedState:
    began = time.monotonic()
    solver = RoundSolver(game)
    look = _FIRST_LOOK
    while True:
        solver.iterate()
        late = time.monotonic() >= until
        if solver.iterations < look and not late:
            continue
        look = int(solver.iterations * _NEXT_LOOK)
        strategy = solver.strategy()
        bounds, exploitability = _certified(game, strategy, values)
        seconds = time.monotonic() - began
        report(Progress(game.dice, solver.iterations, bounds.high - bounds.low, width, seconds))
        if late or bounds.high - bounds.low <= width:
            iterations = solver.iterations
            return SolvedState(game.dice, bounds, exploitability, iterations, seconds, strategy)
