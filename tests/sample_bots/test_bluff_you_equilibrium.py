"""The announcements of the equilibrium bot are worth what a linear program finds."""

import sys
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.optimize import linprog

from arena.games import make_game
from arena.games.bluff_you import BluffYouPhase, BluffYouView, Stop, Swap
from arena.games.bluff_you.state import next_turn
from arena.local.loading import load_bot
from tests.games.contract import Case, Step, playout

bot: Any = sys.modules[load_bot("bluff_you_equilibrium").__module__]

OPTIONS: tuple[tuple[tuple[str, object], ...], ...] = (
    (),
    (("announce_missing_chip", "no_effect"),),
    (("steal_takes", "any_chip"), ("swap_min_give", 1)),
    (("chip_points", (9, 1, 3, 3, 7, 2, 1, 4, 1, 1, 2, 8, 3, 3, 4, 5)),),
)


class Position(NamedTuple):
    """A turn of a random match, with what its bluffer could do."""

    case: Case
    view: BluffYouView
    offers: list[Any]
    exchange: Any

    @property
    def swap_worth(self) -> float | None:
        return None if self.exchange is None else self.exchange.worth


def positions() -> list[Position]:
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
                exchange = bot.best_exchange(view, case.game.options)
                found.append(Position(case, view, offers, exchange))
    return found


def best_worth(offers: list[Any], swap: float | None) -> float:
    """Of all ways to announce, what the best is worth against a seer that knows it.

    Variables: for each roll (sum, double) and offer how often it is announced, for each offer its
    worth. Rolls that are not announced are swapped, which is worth `swap`; None: no swap.
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
        free.append(double and swap is not None)
    ways = np.array([bot.WAYS[roll] for roll in rolls], dtype=float)
    # A double that is announced is not swapped, so it costs the worth of the swap.
    unswapped = np.repeat([(swap or 0.0) * is_free for is_free in free], len(offers))
    worth = np.concatenate([unswapped, -np.ones(len(offers))])
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
    return float(-solved.fun + (swap or 0.0) * ways[loose].sum()) / bot.ROLLS


@pytest.mark.slow
def test_the_plan_is_worth_as_much_as_the_best_one() -> None:
    checked = positions()
    assert len(checked) > 100
    for position in checked:
        best = best_worth(position.offers, position.swap_worth)
        plan = bot.plan(position.offers, position.exchange)
        assert plan.worth == pytest.approx(best, abs=1e-8), position


@pytest.mark.slow
@pytest.mark.parametrize("worth", [-3.0, -0.5, 0.0, 0.2, 1.0, 6.0])
def test_doubles_are_swapped_as_often_as_it_pays_whatever_a_swap_is_worth(worth: float) -> None:
    swappable = [position for position in positions() if position.exchange is not None]
    assert len(swappable) > 10
    for position in swappable:
        plan = bot.plan(position.offers, replace(position.exchange, worth=worth))
        best = best_worth(position.offers, worth)
        assert plan.worth == pytest.approx(best, abs=1e-8), position


def left_after(step: Step, case: Case, action: Swap | Stop | None) -> float:
    """What the next bluffer gets after an action by the rules (None: if no chip moved), by linear
    program; its own swaps are worth nothing."""
    then = step.before if action is None else case.game.apply(step.before, step.actor, action)
    seats = len(then.chips)
    if action is None or then.phase is BluffYouPhase.SWAP_AGAIN:
        then = next_turn(then, then.centre, then.chips, progress=False)
    view = case.game.view(then, then.bluffer)
    assert view.bluffer == (step.actor + 1) % seats
    offers = list(bot.offers(view, case.game.options))
    can_swap = any(True for _ in bot.possible_swaps(view, case.game.options))
    return best_worth(offers, 0.0 if can_swap else None)


@pytest.mark.slow
def test_a_swap_is_worth_what_the_next_bluffer_loses_by_linear_program() -> None:
    gains, differences = [], []
    for seats in (2, 3, 4):
        case = Case("bluff_you", (), seats)
        for step in playout(case, 7):
            if step.before.phase is not BluffYouPhase.ANNOUNCE:
                continue
            view = case.game.view(step.before, step.before.bluffer)
            swaps = [one for one in case.game.choices(view) if isinstance(one, Swap)]
            if not 1 < len(swaps) <= 12:
                continue
            lefts = {swap: left_after(step, case, swap) for swap in swaps}
            least = min(lefts.values())
            gain = (left_after(step, case, None) - least) / (seats - 1)
            exchange = bot.best_exchange(view, case.game.options)
            assert lefts[exchange.swap] == pytest.approx(least, abs=1e-8)
            assert exchange.worth == pytest.approx(gain, abs=1e-8)
            gains.append(gain)
            differences.append(max(lefts.values()) - least)
    assert len(gains) > 5
    assert min(gains) < 0 < max(gains)
    assert max(differences) > 0.005  # points


@pytest.mark.slow
def test_it_swaps_again_if_and_only_if_that_leaves_less_than_to_stop() -> None:
    case = Case("bluff_you", (("swap_max_per_turn", 3), ("swap_min_give", 1)), 2)
    seen = set()
    for seed in range(8):
        for step in playout(case, seed):
            if step.before.phase is not BluffYouPhase.SWAP_AGAIN:
                continue
            view = case.game.view(step.before, step.actor)
            swaps = [one for one in case.game.choices(view) if isinstance(one, Swap)]
            if len(swaps) > 6:
                continue
            player = load_bot("bluff_you_equilibrium")(Random(seed))
            chosen = player.act(SimpleNamespace(view=view, game=case.game, events=()))
            lefts = {choice: left_after(step, case, choice) for choice in (Stop(), *swaps)}
            assert lefts[chosen] == pytest.approx(min(lefts.values()), abs=1e-8)
            seen.add(type(chosen))
    assert seen == {Stop, Swap}


def test_every_roll_is_told_lied_about_or_swapped() -> None:
    for position in positions():
        plan = bot.plan(position.offers, position.exchange)
        told = dict.fromkeys(bot.WAYS, 0.0)
        for (offer, double), share in plan.told.items():
            told[offer.number, double] += share * bot.WAYS[offer.number, double]
        truths = sum(told.values())
        assert all(share <= bot.WAYS[roll] + 1e-9 for roll, share in told.items())
        swapped = bot.ROLLS - truths - sum(plan.lies.values())
        assert swapped == pytest.approx(0, abs=1e-6) or (
            position.exchange is not None and 0 < swapped < 96 + 1e-6
        )


def test_at_the_start_rare_sums_are_announced_and_half_of_it_is_true() -> None:
    game = make_game("bluff_you", {"players_max": 3})
    case = Case("bluff_you", (), 3)
    first = next(step for step in playout(case, 0) if step.before.phase is BluffYouPhase.ANNOUNCE)
    plan = bot.plan(list(bot.offers(game.view(first.before, 0), game.options)), None)
    shown = {offer.number: lies for offer, lies in plan.lies.items() if lies}
    # 5, 4, 3 and 2 points: 70 of the 108 pairs, then the two of 21 rolls; 10 and 11 never.
    assert {3, 18, 4, 17, 5, 16, 6, 15, 7, 14} < set(shown)
    assert not {9, 10, 11, 12} & set(shown)
    assert sum(shown.values()) == pytest.approx(108)
