"""Rounds and whole matches solved until their values are known well enough."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, Final, Protocol, TypeAlias

from arena.solver.best_response import proven_bounds
from arena.solver.round_game import RoundGame, ValueBounds, match_round, single_round
from arena.solver.round_solver import RoundSolver
from arena.solver.tables import Strategy

DicePair: TypeAlias = tuple[int, int]
"""The opener's dice and the other's."""

MOST_DICE: Final = 4
"""Dice in play of a round whose histories still fit into memory: 16 million and 8 GB."""

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
    exploitability: float
    """Of the round's strategy so far, on average of both seats."""
    width: float
    """Between the bounds."""
    target: float
    seconds: float


Report: TypeAlias = Callable[[Progress], None]


def _tell_nobody(_: Progress) -> None:
    """A report that another process can be given, which a lambda is not."""


class ForEach(Protocol):
    """`map`, or that of an executor: it may do several parts at a time, and elsewhere."""

    def __call__(
        self, function: Callable[[DicePair], Any], states: Iterable[DicePair], /
    ) -> Iterator[Any]: ...


def solve_round(
    dice: DicePair, *, width: float, until: float = float("inf"), report: Report = _tell_nobody
) -> SolvedState:
    """One round for itself (+1 or -1), until its bounds are `width` apart or `time.time()` has
    reached `until`."""
    return _solve(single_round(dice), None, width, until, report)


def solve_matches(
    wanted: Collection[DicePair],
    *,
    width: float,
    until: float = float("inf"),
    known: Iterable[SolvedState] = (),
    report: Report = _tell_nobody,
    solved: Callable[[SolvedState], None] = lambda _: None,
    for_each: ForEach = map,
) -> dict[DicePair, SolvedState]:
    """The rounds that are wanted and all that may follow them; `solved` gets each, smallest first.

    States with equally many dice in play do not depend on each other: those are the parts that
    `for_each` gets, with `report`. States in `known` are taken as they are.
    """
    states = {state.dice: state for state in known}
    needed = {later for dice in wanted for later in states_before(dice)}
    for level in by_dice_in_play(needed - states.keys()):
        bounds = {state.dice: state.bounds for state in states.values()}
        widths = {dice: width if dice in wanted else width * _OF_LATER_ROUNDS for dice in level}
        part = partial(_solve_state, values=bounds, widths=widths, until=until, report=report)
        for state in for_each(part, level):
            states[state.dice] = state
            solved(state)
    return states


def states_of_match(dice: int) -> list[DicePair]:
    """All states of a match from so many dice each."""
    each = range(1, dice + 1)
    return [(opener, other) for opener in each for other in each]


def by_dice_in_play(states: Iterable[DicePair]) -> list[list[DicePair]]:
    """States in groups with equally many dice in play, the fewest first: a round leads only to
    states of groups before its own."""
    ordered = sorted(states, key=lambda state: (sum(state), state))
    return [list(group) for _, group in groupby(ordered, key=sum)]


def _solve_state(
    dice: DicePair,
    *,
    values: Mapping[DicePair, ValueBounds],
    widths: Mapping[DicePair, float],
    until: float,
    report: Report,
) -> SolvedState:
    """The round of a match, given the values of all that may follow."""
    return _solve(match_round(dice, values), values, widths[dice], until, report)


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
    """All states that may follow, and the state itself."""
    opener, other = dice
    own = range(1, max(dice) + 1)
    reached = {
        (a, b)
        for a in own
        for b in own
        if a + b < opener + other and (_fits((a, b), dice) or _fits((b, a), dice))
    }
    return [*reached, dice]


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
        late = time.time() >= until  # the clock of all machines
        if solver.iterations < look and not late:
            continue
        look = int(solver.iterations * _NEXT_LOOK)
        strategy = solver.strategy()
        bounds, exploitability = _certified(game, strategy, values)
        seconds = time.monotonic() - began
        apart, iterations = bounds.high - bounds.low, solver.iterations
        report(Progress(game.dice, iterations, exploitability, apart, width, seconds))
        if late or apart <= width:
            return SolvedState(game.dice, bounds, exploitability, iterations, seconds, strategy)
