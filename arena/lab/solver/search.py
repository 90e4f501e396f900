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
"""Bounds are computed after so many iterations, and again whenever that grew by this factor. So
when is known beforehand, and a search that goes on from a file does what it would have done."""
_HISTORIES_A_LOOK = 2**29
"""After so many histories bounds are computed as well: minutes with four dice."""
_ALONE = 0.1
"""If the round alone keeps the bounds apart by this part of the width, more iterations are of no
use."""
_STALLED, _NEARER = 4, 0.9
"""Nor are they if after this factor of iterations the bounds are not nearer by this one: single
precision is at its end."""
_KEEP_SECONDS, _KEEP_SHARE = 60.0, 0.1
"""How often what was found so far is kept; seldomer if that takes more than this share of the time.
"""


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
    """Seconds of search, all calls together."""
    strategy: Strategy
    regrets: Strategy | None
    """What the search goes on from; None of play that comes from no search."""

    @property
    def value(self) -> float:
        """The middle of the bounds."""
        return sum(self.bounds) / 2

    @property
    def width(self) -> float:
        """How far the bounds are apart."""
        return self.bounds.high - self.bounds.low

    def hangs_on_later_rounds(self, width: float) -> bool:
        """Whether only better values of later rounds bring the bounds as near as `width`."""
        return self.width > width and 2 * self.exploitability <= width * _ALONE


@dataclass(frozen=True)
class Gap:
    """How near a search was after some iterations."""

    iterations: int
    apart: float
    """How far the strategy of this round keeps the bounds apart; later rounds add to it."""


@dataclass(frozen=True)
class Progress:
    """How far the search for the value of one round is."""

    dice: DicePair
    iterations: int
    seconds: float
    target: float
    """How far apart this round alone may keep the bounds: later rounds add to it."""
    gaps: tuple[Gap, ...]
    """The gaps of this call, the last one at the end."""


Report: TypeAlias = Callable[[Progress], None]
Keep: TypeAlias = Callable[[SolvedState], None]
Stopped: TypeAlias = Callable[[], bool]
"""Whether somebody wishes that a search ends with what it has."""


@dataclass(frozen=True)
class Goal:
    """When a search ends."""

    width: float
    """When the bounds are so near."""
    until: float
    """When `time.time()` is so late: the clock of all machines."""


def tell_nobody(_: Progress) -> None:
    """Report nothing; unlike a lambda it can be given to another process."""


def keep_nothing(_: SolvedState) -> None:
    """Keep nothing of what is found so far."""


def never_stopped() -> bool:
    """Stand for `stop` in a search that nobody stops."""
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
    """Search to a goal, or until it is `stopped`.

    The round of a match has the `values` of all that may follow it.

    Goes on from what was `begun`, and lets what it has be kept every so many seconds, before it
    changes further. Raises MemoryShortError.
    """
    opener, other = game.dice
    check_memory(bytes_needed(game.dice), f"A round with {opener} against {other} dice")
    before = 0.0 if begun is None else begun.seconds
    began = time.monotonic()
    solver = RoundSolver(game)
    if begun is not None and begun.regrets is not None:
        solver.go_on_from(begun.iterations, begun.strategy, begun.regrets)
        # What follows may be known better by now.
        bounds, exploitability = certified(game, begun.strategy, values)
        begun = replace(begun, bounds=bounds, exploitability=exploitability)
        if begun.width <= goal.width:
            return begun
    gaps: list[Gap] = []
    # At least _ALONE of it: nearer than that the search ends, whatever later rounds add.
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
        # The bounds are never nearer than the round alone keeps them.
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
    """Return the proven bounds and the exploitability in the round alone.

    The bounds take later rounds at their worst and their best.
    """
    alone = proven_bounds(game, strategy)
    exploitability = (alone.high - alone.low) / 2
    if values is None:
        return alone, exploitability
    low, high = (match_round(game.dice, values, side).payoffs for side in ("low", "high"))
    worst, best = proven_bounds(game, strategy, low), proven_bounds(game, strategy, high)
    return ValueBounds(worst.low, best.high), exploitability


def _of_later_rounds(game: RoundGame, values: Values | None) -> float:
    """How far apart the bounds of later rounds keep those of this one, at most."""
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
