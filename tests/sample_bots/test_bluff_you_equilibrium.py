"""The announcements of the equilibrium bot are worth what a linear program finds."""

import sys
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from arena.games import make_game
from arena.games.bluff_you import BluffYouPhase, Swap
from arena.home.loading import load_bot
from tests.games.contract import Case, playout

bot: Any = sys.modules[load_bot("bluff_you_equilibrium").__module__]

OPTIONS: tuple[tuple[tuple[str, object], ...], ...] = (
    (),
    (("announce_missing_chip", "no_effect"),),
    (("steal_takes", "any_chip"), ("swap_min_give", 1)),
    (("chip_points", (9, 1, 3, 3, 7, 2, 1, 4, 1, 1, 2, 8, 3, 3, 4, 5)),),
)


def positions() -> list[tuple[list[Any], bool]]:
    """What may be announced, and whether swaps are possible, at turns of random matches."""
    found = []
    for options in OPTIONS:
        for seats in (2, 3, 4):
            case = Case("bluff_you", options, seats)
            turns = [
                step for step in playout(case, seats) if step.before.phase is BluffYouPhase.ANNOUNCE
            ]
            for step in Random(seats).sample(turns, min(12, len(turns))):
                view = case.game.view(step.before, step.before.bluffer)
                offers = list(bot.offers(view, case.game.options))
                found.append((offers, bot.can_swap(view, case.game.options)))
    return found


def best_worth(offers: list[Any], swaps: bool) -> float:
    """Of all ways to announce, what the best is worth against a seer that knows it.

    Variables: for each roll (sum, double) and offer how often it is announced, for each offer its
    worth. Rolls that are not announced are swapped, which is worth nothing.
    """
    rolls = list(bot.WAYS)
    said = len(rolls) * len(offers)
    above, allotted = [], []
    for answer_ok in (True, False):
        for j, offer in enumerate(offers):
            row = np.zeros(said + len(offers))
            for i, (number, _) in enumerate(rolls):
                wins = (number == offer.number) != answer_ok
                row[i * len(offers) + j] = -offer.prize if wins else offer.price
            row[said + j] = 1
            above.append(row)
    free = []
    for i, (_, double) in enumerate(rolls):
        row = np.zeros(said + len(offers))
        row[i * len(offers) : (i + 1) * len(offers)] = 1
        allotted.append(row)
        free.append(double and swaps)
    worth = np.concatenate([np.zeros(said), -np.ones(len(offers))])
    ways = np.array([bot.WAYS[roll] for roll in rolls], dtype=float)
    fixed = [i for i, is_free in enumerate(free) if not is_free]
    loose = [i for i, is_free in enumerate(free) if is_free]
    solved = linprog(
        worth,
        A_ub=np.array(above + [allotted[i] for i in loose]),
        b_ub=np.concatenate([np.zeros(len(above)), ways[loose]]),
        A_eq=np.array([allotted[i] for i in fixed]),
        b_eq=ways[fixed],
        bounds=[(0, None)] * said + [(None, None)] * len(offers),
    )
    assert solved.success
    return float(-solved.fun)


@pytest.mark.slow
def test_the_plan_is_worth_as_much_as_the_best_one() -> None:
    checked = positions()
    assert len(checked) > 100
    assert sum(swaps for _, swaps in checked) > 10
    for offers, swaps in checked:
        plan = bot.plan(offers, swaps)
        best = best_worth(offers, swaps) / bot.ROLLS
        assert plan.worth == pytest.approx(best, abs=1e-8), offers


@pytest.mark.slow
def test_the_swap_that_is_taken_leaves_the_next_bluffer_least_by_linear_program() -> None:
    differences = []
    for seats in (2, 3, 4):
        case = Case("bluff_you", (), seats)
        for step in playout(case, 7):
            if step.before.phase is not BluffYouPhase.ANNOUNCE:
                continue
            bluffer = step.before.bluffer
            view = case.game.view(step.before, bluffer)
            swaps = [one for one in case.game.choices(view) if isinstance(one, Swap)]
            if not 1 < len(swaps) <= 12:
                continue
            turn = SimpleNamespace(view=view, game=case.game, choices=lambda found=swaps: found)
            left = {}
            for swap in swaps:
                then = case.game.apply(step.before, bluffer, swap)
                seen = case.game.view(then, then.bluffer)
                options = case.game.options
                left[swap] = best_worth(
                    list(bot.offers(seen, options)), bot.can_swap(seen, options)
                )
            assert left[bot.best_swap(turn)] == pytest.approx(min(left.values()), abs=1e-6)
            differences.append(max(left.values()) - min(left.values()))
    assert len(differences) > 5
    assert max(differences) > 1  # of 216 rolls


def test_every_roll_is_told_lied_about_or_swapped() -> None:
    for offers, swaps in positions():
        plan = bot.plan(offers, swaps)
        told = dict.fromkeys(bot.WAYS, 0.0)
        for (offer, double), share in plan.told.items():
            told[offer.number, double] += share * bot.WAYS[offer.number, double]
        truths = sum(told.values())
        assert all(share <= bot.WAYS[roll] + 1e-9 for roll, share in told.items())
        swapped = bot.ROLLS - truths - sum(plan.lies.values())
        assert swapped == pytest.approx(0, abs=1e-6) or (swaps and 0 < swapped < 96)


def test_at_the_start_rare_sums_are_announced_and_half_of_it_is_true() -> None:
    game = make_game("bluff_you", {"players_max": 3})
    case = Case("bluff_you", (), 3)
    first = next(step for step in playout(case, 0) if step.before.phase is BluffYouPhase.ANNOUNCE)
    plan = bot.plan(list(bot.offers(game.view(first.before, 0), game.options)), False)
    shown = {offer.number: lies for offer, lies in plan.lies.items() if lies}
    # 5, 4, 3 and 2 points: 70 of the 108 pairs, then the two of 21 rolls; 10 and 11 never.
    assert {3, 18, 4, 17, 5, 16, 6, 15, 7, 14} < set(shown)
    assert not {9, 10, 11, 12} & set(shown)
    assert sum(shown.values()) == pytest.approx(108)
