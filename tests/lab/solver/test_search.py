"""Searches that are stopped and gone on with, and that end where nothing more is to be won."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arena.lab.solver import (
    DicePair,
    Progress,
    SolvedState,
    Strategy,
    ValueBounds,
    match_round,
    solve_matches,
    solve_round,
)
from arena.lab.solver.search import Goal, search

SOON = 0.0
"""A time that is over."""


def copied(state: SolvedState) -> SolvedState:
    """What a file would hold: the solver goes on to write in its tables."""
    assert state.regrets is not None
    strategy, regrets = (
        Strategy((kept.weights[0].copy(), kept.weights[1].copy()))
        for kept in (state.strategy, state.regrets)
    )
    return replace(state, strategy=strategy, regrets=regrets)


def test_a_search_goes_on_as_if_it_had_never_stopped() -> None:
    game = match_round((1, 1), {})
    rough = search(game, {}, Goal(1e-2, float("inf")))
    further = search(game, {}, Goal(1e-4, float("inf")), begun=copied(rough))
    at_once = search(game, {}, Goal(1e-4, float("inf")))
    assert rough.iterations < further.iterations == at_once.iterations
    assert further.bounds == at_once.bounds
    assert all(map(np.array_equal, further.strategy.weights, at_once.strategy.weights))


def test_what_is_kept_on_the_way_leads_to_the_same_end() -> None:
    game, goal = match_round((1, 1), {}), Goal(1e-3, float("inf"))
    whole = search(game, {}, goal)
    at = [0]
    begun: SolvedState | None = None
    for _ in range(3):
        # A state is kept at a search's first look, whatever the time; later ones by what that took.
        kept: list[SolvedState] = []
        rest = search(game, {}, goal, begun=begun, keep=_the_first(kept), keep_seconds=0)
        assert (rest.iterations, rest.bounds) == (whole.iterations, whole.bounds)
        (begun,) = kept
        at.append(begun.iterations)
    assert at == sorted({*at}) and at[-1] < whole.iterations


def _the_first(kept: list[SolvedState]) -> Callable[[SolvedState], None]:
    """Keep the first state alone."""

    def keep(state: SolvedState) -> None:
        if not kept:
            kept.append(copied(state))

    return keep


def test_a_search_that_ends_soon_keeps_nothing_on_the_way() -> None:
    kept: list[SolvedState] = []
    search(
        match_round((1, 1), {}), {}, Goal(1e-3, float("inf")), keep=kept.append, keep_seconds=3600
    )
    assert not kept


def test_a_state_that_the_time_cut_off_is_improved_by_the_next_call() -> None:
    cut_off = solve_matches([(1, 1)], width=1e-3, until=SOON)
    assert cut_off[1, 1].iterations == 1 and cut_off[1, 1].width > 1e-3
    states = solve_matches([(1, 1)], width=1e-3, known=cut_off.values())
    assert states[1, 1].width <= 1e-3
    assert states[1, 1].seconds > cut_off[1, 1].seconds


def test_a_later_round_that_was_cut_off_is_improved_before_what_rests_on_it() -> None:
    cut_off = solve_matches([(1, 1)], width=1e-3, until=SOON)
    states = solve_matches([(1, 2)], width=1e-2, known=cut_off.values())
    assert [*states] == [(1, 1), (1, 2)]
    assert states[1, 2].width <= 1e-2 and states[1, 1].width <= 1e-2 / 4


def test_a_state_that_is_known_well_enough_is_taken_with_nothing_else() -> None:
    known = solve_matches([(1, 2)], width=5e-2)
    found: list[SolvedState] = []
    states = solve_matches([(1, 2)], width=1e-1, known=known.values(), solved=found.append)
    assert states == {(1, 2): known[1, 2]} and not found


@pytest.mark.system  # computes for long
def test_a_search_ends_when_only_later_rounds_keep_the_bounds_apart() -> None:
    values = {(1, 1): ValueBounds(0.3, 0.6)}
    state = search(match_round((1, 2), values), values, Goal(1e-2, float("inf")))
    assert state.width > 0.1 and state.hangs_on_later_rounds(1e-2)
    assert 2 * state.exploitability <= 1e-3
    assert not state.hangs_on_later_rounds(0.5)


def test_a_search_ends_when_single_precision_brings_the_bounds_no_nearer() -> None:
    later = ValueBounds(0.5, 0.5)
    begun = solve_round((1, 1), width=1e-1)
    # Regrets so large that what an iteration adds is rounded away.
    assert begun.regrets is not None
    for table in begun.regrets.weights:
        table += 1e12
    stuck = search(match_round((1, 1), {(1, 1): later}), {}, Goal(1e-9, float("inf")), begun=begun)
    assert stuck.width > 1e-3 and not stuck.hangs_on_later_rounds(1e-9)


def test_reports_come_after_every_iteration_with_the_gaps_so_far() -> None:
    told: list[Progress] = []
    solve_matches([(1, 1)], width=1e-2, report=told.append)
    assert [one.iterations for one in told] == [*range(1, len(told) + 1)]
    assert not told[0].gaps
    seen = [gap.iterations for gap in told[-1].gaps]
    assert seen == sorted({*seen}) and seen[0] == 14 and seen[-1] == len(told)
    assert told[-1].gaps[-1].apart <= 1e-2 < told[-1].gaps[-2].apart


def test_what_is_wanted_of_a_round_alone_leaves_room_for_the_later_ones() -> None:
    values, told = {(1, 1): ValueBounds(0.4, 0.41)}, list[Progress]()
    state = search(
        match_round((1, 2), values), values, Goal(5e-2, float("inf")), report=told.append
    )
    assert told[-1].target == pytest.approx(4e-2)
    assert state.width <= 5e-2
    assert state.width - told[-1].gaps[-1].apart <= 1e-2


def test_a_search_that_is_stopped_ends_with_what_it_has_and_no_other_begins() -> None:
    told, kept = list[Progress](), list[SolvedState]()
    states = solve_matches(
        [(1, 2)],
        width=1e-9,
        report=told.append,
        stopped=lambda: len(told) >= 20,
        solved=kept.append,
    )
    assert [*states] == [(1, 1)] and kept == [states[1, 1]]
    assert states[1, 1].iterations == len(told) == 21
    assert states[1, 1].bounds.low <= 251 / 516 <= states[1, 1].bounds.high


def test_each_state_gets_its_part_of_the_time_and_of_the_width() -> None:
    goals: dict[DicePair, Goal] = {}

    def for_each(function: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]:
        for part in parts:
            goals[part.dice] = part.goal
            yield function(replace(part, goal=Goal(1.0, SOON)))

    begins = time.time()
    solve_matches([(1, 2), (2, 1)], width=1e-3, until=begins + 1e6, for_each=for_each)
    assert {dice: goal.width for dice, goal in goals.items()} == {
        (1, 1): 1e-3 / 4,
        (1, 2): 1e-3,
        (2, 1): 1e-3,
    }
    # One of two states side by side leaves half of the time to the other.
    shares = [(goals[dice].until - begins) / 1e6 for dice in ((1, 1), (1, 2), (2, 1))]
    assert shares == pytest.approx([0.25, 0.5, 1], abs=0.01)


@pytest.mark.parametrize("width", [1e-2, 1e-3])
def test_bounds_are_as_near_as_is_wanted(width: float) -> None:
    state = solve_matches([(1, 1)], width=width)[1, 1]
    assert state.width <= width
    assert state.bounds.low <= 251 / 516 <= state.bounds.high
