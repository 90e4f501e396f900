"""Rounds and whole matches solved until their values are known well enough."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, Final, Protocol

from arena.lab.solver.round_game import ValueBounds, match_round, single_round
from arena.lab.solver.search import (
    DicePair,
    Goal,
    Keep,
    Report,
    SolvedState,
    Stopped,
    Values,
    certified,
    keep_nothing,
    never_stopped,
    search,
    tell_nobody,
)

MOST_DICE: Final = 4
"""The most dice in play of a round whose histories still fit into memory: 16 million and 8 GB."""

_OF_LATER_ROUNDS = 0.25
"""The factor of the width and of the time for each die fewer in play, because bounds add up."""


class ForEach(Protocol):
    """The type of `map`, or of an executor's `map`, which may run parts in other processes."""

    def __call__(self, function: Callable[[Any], Any], parts: Iterable[Any], /) -> Iterator[Any]:
        """Yield the results of the function for all parts, in order."""
        ...


@dataclass(frozen=True)
class _Part:
    """A state to be searched for, with its goal and the state to resume from."""

    dice: DicePair
    goal: Goal
    begun: SolvedState | None


def solve_round(
    dice: DicePair, *, width: float, until: float = float("inf"), report: Report = tell_nobody
) -> SolvedState:
    """Solve one round as a game of its own (payoff +1 or -1).

    The search ends when its bounds are `width` apart or `time.time()` has reached `until`.
    """
    return search(single_round(dice), None, Goal(width, until), report=report)


def solve_matches(
    wanted: Collection[DicePair],
    *,
    width: float,
    until: float = float("inf"),
    known: Iterable[SolvedState] = (),
    report: Report = tell_nobody,
    keep: Keep = keep_nothing,
    stopped: Stopped = never_stopped,
    solved: Callable[[SolvedState], None] = lambda _: None,
    for_each: ForEach = map,
) -> dict[DicePair, SolvedState]:
    """Solve the wanted rounds and all that they need, smallest first; `solved` receives each.

    A state in `known` is used as it is if its bounds are narrow enough for this call; else its
    search is resumed, and states that may follow it are needed too. States with the same number of
    dice in play do not depend on each other: they are the parts given to `for_each`. `keep`
    receives intermediate states from time to time. When `stopped` returns true, running searches
    end with what they have; states with more dice are not begun, and are missing in the result.
    """
    most = max(map(sum, wanted))

    def share(dice: DicePair) -> float:
        return float(_OF_LATER_ROUNDS ** (most - sum(dice)))

    states = {state.dice: state for state in known}
    near = {dice for dice, state in states.items() if state.width <= width * share(dice)}
    needed = {*wanted}.union(*(states_before(dice) for dice in wanted if dice not in near))
    for level in by_dice_in_play(needed - near):
        bounds = {state.dice: state.bounds for state in states.values()}
        begins = time.time()
        each = (until - begins) * share(level[0]) / len(level)
        parts = [
            _Part(dice, Goal(width * share(dice), begins + number * each), states.get(dice))
            for number, dice in enumerate(level, start=1)
        ]
        part = partial(_search_part, values=bounds, report=report, keep=keep, stopped=stopped)
        for state in for_each(part, parts):
            states[state.dice] = state
            solved(state)
        if stopped():
            break
    found = by_dice_in_play(needed & states.keys())
    return {dice: states[dice] for group in found for dice in group}


def states_of_match(dice: int) -> list[DicePair]:
    """Return all states of a match that begins with `dice` dice each."""
    each = range(1, dice + 1)
    return [(opener, other) for opener in each for other in each]


def by_dice_in_play(states: Iterable[DicePair]) -> list[list[DicePair]]:
    """Group states by the dice in play, the fewest first.

    A round leads only to states of groups before its own.
    """
    ordered = sorted(states, key=lambda state: (sum(state), state))
    return [list(group) for _, group in groupby(ordered, key=sum)]


def _search_part(
    part: _Part, *, values: Values, report: Report, keep: Keep, stopped: Stopped
) -> SolvedState:
    game = match_round(part.dice, values)
    return search(
        game, values, part.goal, begun=part.begun, report=report, keep=keep, stopped=stopped
    )


def certified_again(states: Iterable[SolvedState]) -> Iterator[SolvedState]:
    """Yield the same states, smallest first, with the bounds that their strategies prove.

    The bounds are computed anew by exact best responses, and from nothing else.
    """
    values: dict[DicePair, ValueBounds] = {}
    for state in states:
        game = match_round(state.dice, values)
        bounds, exploitability = certified(game, state.strategy, values)
        values[state.dice] = bounds
        yield replace(state, bounds=bounds, exploitability=exploitability)


def states_before(dice: DicePair) -> list[DicePair]:
    """Return all states that may follow, and the state itself."""
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
