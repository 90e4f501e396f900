"""The equilibrium bot's decisions to swap lose little of what perfect play wins."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arena.games.bluff_you import BluffYouOptions, BluffYouPhase, BluffYouView
from arena.local.loading import load_bot
from tests.games.contract import Case, playout
from tests.sample_bots import perfect_bluff_you as perfect

bot: Any = sys.modules[load_bot("bluff_you_equilibrium").__module__]

CENTRE_POINTS = 8
"""The most points in the centre of the positions that are checked."""


def ends(case: Case, matches: int) -> Iterator[BluffYouView]:
    """Turns near the end of random matches, whose bluffer may swap with a double."""
    points = dict(zip(range(3, 19), case.game.options.chip_points, strict=True))
    for seed in range(matches):
        for step in playout(case, seed):
            if step.before.phase is BluffYouPhase.ANNOUNCE:
                view = case.game.view(step.before, step.before.bluffer)
                near = sum(points[number] for number in view.centre) <= CENTRE_POINTS
                if near and any(True for _ in bot.possible_swaps(view, case.game.options)):
                    yield view


def counted(view: BluffYouView) -> Any:
    """The chips as perfect play counts them: by (centre, bluffer, other) and kind."""
    places = (view.centre, view.chips[view.bluffer], view.chips[1 - view.bluffer])
    return np.array(
        [[(3 + kind in own) + (18 - kind in own) for kind in range(8)] for own in places]
    )


def swapped_share(plan: Any, number: int) -> float:
    """How often a plan swaps a double of this sum."""
    told = sum(
        share for (offer, double), share in plan.told.items() if double and offer.number == number
    )
    return float((1 - told) * plan.swapped)


def losses(view: BluffYouView, options: BluffYouOptions, values: Any) -> Any:
    """What ways to decide whether to swap a double lose, in the chance to win.

    They are: the bot's, as if a swap were worth nothing, always, never. All make the same swap if
    they swap, and else announce perfectly.
    """
    after_other = values[view.no_win_turns + 1]
    _, lie, best_swap, pairs = perfect.turn(counted(view), values[0], after_other, False)
    plan = bot.planned(view, options)
    zero = bot.plan(list(plan.lies), replace(plan.exchange, worth=0.0))
    then = replace(bot.next_turn(view, plan.exchange.swap), bluffer=view.bluffer)
    swap = -after_other[perfect.position_of(counted(then))]
    lost, doubles = np.zeros(4), 0
    for (number, double), rolls in bot.WAYS.items():
        if not double:
            continue
        kind, announced = min(number, 21 - number) - 3, lie
        if number not in view.chips[view.bluffer]:
            announced = max(lie, pairs[int(number not in view.centre), kind] - lie)
        shares = np.array([swapped_share(plan, number), swapped_share(zero, number), 1, 0])
        best = max(announced, best_swap)
        lost += rolls * (best - shares * swap - (1 - shares) * announced) / 2
        doubles += rolls
    return lost / doubles


@pytest.mark.system  # computes for long
@pytest.mark.slow
def test_whether_to_swap_is_decided_better_by_the_worth_of_the_swap_than_without() -> None:
    case = Case("bluff_you", (), 2)
    values = perfect.solve(CENTRE_POINTS, no_win_limit=12)
    lost = np.array([losses(view, case.game.options, values) for view in ends(case, 60)])
    assert len(lost) > 100
    bots, zero, always, never = lost.mean(axis=0)
    assert lost.min() > -1e-6
    assert bots < 0.75 * min(zero, always, never)
