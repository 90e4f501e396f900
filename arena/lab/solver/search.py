"""The search for a round's value: iterations until the proven bounds are near enough."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from arena.lab.solver.best_response import proven_bounds
from arena.lab.solver.memory import check_memory
from arena.lab.solver.round_game import RoundGame, ValueBounds, match_round
from arena.lab.solver.round_solver import RoundSolver, bytes_needed
from arena.lab.solver.tables import Strategy

DicePair: TypeAlias = tuple[int, int]
"""The opener's dice and the other's."""

Values: TypeAlias = Mapping[DicePair, ValueBounds]
"""Bounds on the opener's probability to win the match, by the dice of a round."""

_FIRST_LOOK, _NEXT_LOOK = 14, 1.25
"""The iterations after which bounds are first computed, and the factor by which they grow before
the next time. The schedule depends on nothing else, so a search resumed from a file continues as it
would have without the interruption.
"""
_HISTORIES_A_LOOK = 2**29
"""The number of walked histories after which bounds are also computed: minutes with four dice."""
_ALONE = 0.1
"""The share of the width at or below which the round's own gap is not worth further iterations."""
_STALLED, _NEARER = 4, 0.9
"""The factors of a stalled search: if after `_STALLED` times as many iterations the gap is not
below `_NEARER` times its old size, single precision has reached its limit.
"""
_KEEP_SECONDS, _KEEP_SHARE = 60.0, 0.1
"""The interval at which intermediate results are kept, in seconds; longer if that takes more than
this share of the time.
"""


@dataclass(frozen=True)
class SolvedState:
    """The solution found for the rounds that begin with these dice."""

    dice: DicePair
    bounds: ValueBounds
    """Bounds on the opener's probability to win the match, or on its mean result in one round."""
    exploitability: float
    """The gain of a best response to the round's strategy, averaged over both seats."""
    iterations: int
    seconds: float
    """The time of search, all calls together."""
    strategy: Strategy
    regrets: Strategy | None
    """The regrets from which the search continues; None for play that no search found."""

    @property
    def value(self) -> float:
        """The middle of the bounds."""
        return sum(self.bounds) / 2

    @property
    def width(self) -> float:
        """The distance between the bounds."""
        return self.bounds.high - self.bounds.low

    def hangs_on_later_rounds(self, width: float) -> bool:
        """Return whether only better values of later rounds can narrow the bounds to `width`."""
        return self.width > width and 2 * self.exploitability <= width * _ALONE


@dataclass(frozen=True)
class Gap:
    """The distance between a search's bounds after some iterations."""

    iterations: int
    apart: float
    """The distance that this round's strategy alone causes; later rounds add to it."""


@dataclass(frozen=True)
class Progress:
    """The progress of the search for the value of one round."""

    dice: DicePair
    iterations: int
    seconds: float
    target: float
    """The distance between the bounds that this round alone may cause: later rounds add to it."""
    gaps: tuple[Gap, ...]
    """The gaps measured in this call, the newest last."""


Report: TypeAlias = Callable[[Progress], None]
Keep: TypeAlias = Callable[[SolvedState], None]
Stopped: TypeAlias = Callable[[], bool]
"""A test whether a search should end with what it has."""


@dataclass(frozen=True)
class Goal:
    """The conditions under which a search ends."""

    width: float
    """The distance between the bounds that suffices."""
    until: float
    """The time at which it ends, as `time.time()`, a clock that all machines share."""


def tell_nobody(_: Progress) -> None:
    """Ignore a report; unlike a lambda, this can be passed to another process."""


def keep_nothing(_: SolvedState) -> None:
    """Ignore an intermediate result; can be passed to another process."""


def never_stopped() -> bool:
    """Return False, for a search that is never stopped; can be passed to another process."""
    return False


def search(
    game: RoundGame,
    values: Values | None,
    goal: Goal,
    *,
    begun: SolvedState | None = None,
    report: Report = tell_nobody,
    keep: Keep = keep_nothing,
    stopped: Stopped = never_stopped,
    keep_seconds: float = _KEEP_SECONDS,
) -> SolvedState:
    """Search until the goal is reached or `stopped` returns true.

    The round of a match needs the `values` of all that may follow it; a single round has None.

    The search continues from the state `begun`, and passes intermediate states to `keep` every
    `keep_seconds`, before it changes them further. Raises MemoryShortError.
    """
    opener, other = game.dice
    check_memory(bytes_needed(game.dice), f"A round with {opener} against {other} dice")
    before = 0.0 if begun is None else begun.seconds
    began = time.monotonic()
    solver = RoundSolver(game)
    if begun is not None and begun.regrets is not None:
        solver.go_on_from(begun.iterations, begun.strategy, begun.regrets)
        # Later rounds may have narrower bounds by now.
        bounds, exploitability = certified(game, begun.strategy, values)
        begun = replace(begun, bounds=bounds, exploitability=exploitability)
        if begun.width <= goal.width:
            return begun
    gaps: list[Gap] = []
    # At least _ALONE of the width: below that the search ends, whatever later rounds add.
    alone_wanted = max(goal.width - _of_later_rounds(game, values), goal.width * _ALONE)
    next_look = _look_after(solver.iterations, len(game.bets))
    keep_at = began + keep_seconds
    while True:
        solver.iterate()
        late = stopped() or time.time() >= goal.until
        seconds = before + time.monotonic() - began
        looking = late or solver.iterations >= next_look
        if looking:
            next_look = _look_after(solver.iterations, len(game.bets))
            strategy = solver.strategy()
            alone = proven_bounds(game, strategy)
            gaps.append(Gap(solver.iterations, alone.high - alone.low))
        report(Progress(game.dice, solver.iterations, seconds, alone_wanted, tuple(gaps)))
        if not looking:
            continue
        ends = late or _stalled(gaps)
        due = time.monotonic() >= keep_at
        # The bounds are never closer to each other than this round's own gap.
        if not (ends or due or gaps[-1].apart <= goal.width):
            continue
        bounds, exploitability = certified(game, strategy, values)
        seconds = before + time.monotonic() - began
        state = SolvedState(
            game.dice,
            bounds,
            exploitability,
            solver.iterations,
            seconds,
            strategy,
            solver.regrets(),
        )
        if ends or state.width <= goal.width or state.hangs_on_later_rounds(goal.width):
            return state
        if due:
            keeps = time.monotonic()
            keep(state)
            now = time.monotonic()
            keep_at = now + max(keep_seconds, (now - keeps) / _KEEP_SHARE)


def certified(
    game: RoundGame, strategy: Strategy, values: Values | None
) -> tuple[ValueBounds, float]:
    """Return the proven bounds of a strategy and its exploitability in the round alone.

    The bounds take later rounds at their worst and at their best.
    """
    alone = proven_bounds(game, strategy)
    exploitability = (alone.high - alone.low) / 2
    if values is None:
        return alone, exploitability
    low, high = (match_round(game.dice, values, side).payoffs for side in ("low", "high"))
    worst, best = proven_bounds(game, strategy, low), proven_bounds(game, strategy, high)
    return ValueBounds(worst.low, best.high), exploitability


def _of_later_rounds(game: RoundGame, values: Values | None) -> float:
    """Return the largest distance that the bounds of later rounds add to those of this one."""
    if values is None:
        return 0.0
    low, high = (match_round(game.dice, values, side).payoffs for side in ("low", "high"))
    return float((high - low).max())


def _look_after(iterations: int, bets: int) -> int:
    """Return the first number of iterations above this one at which the bounds are computed."""
    most = max(1, _HISTORIES_A_LOOK >> bets)
    look = _FIRST_LOOK
    while look <= iterations:
        look += min(int(look * (_NEXT_LOOK - 1)), most)
    return look


def _stalled(gaps: list[Gap]) -> bool:
    last = gaps[-1].iterations
    before = [gap.apart for gap in gaps if gap.iterations * _STALLED <= last]
    return bool(before) and min(gap.apart for gap in gaps) > min(before) * _NEARER
