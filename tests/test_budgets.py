"""The time of all tests is counted by tier, and one beyond its budget is named."""

import time
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.budgets import Spent, core_times, together_speed


def report(seconds: float, *marks: str) -> pytest.TestReport:
    # A session's own name, which is empty, is among the keywords of every test.
    return cast(Any, SimpleNamespace(duration=seconds, keywords=dict.fromkeys(("", *marks), 1)))


def nothing_kept() -> tuple[float, float]:
    return 0.0, 0.0


def at_rest() -> float:
    return 2.0


def test_a_test_counts_for_each_tier_that_runs_it() -> None:
    spent = Spent(lambda: 0.5, nothing_kept, at_rest)
    spent.add(report(120))
    spent.add(report(240, "slow"))
    spent.add(report(480, "slow", "system"))
    spent.add(report(480, "slow", "system", "alone"))
    lines, within = spent.summary()
    assert lines[:3] == [
        "not slow: 0.5 of 2 minutes",
        "not system: 1.5 of 10 minutes",
        "all: 7.5 of 25 minutes",
    ]
    assert within


def test_tests_that_share_a_core_count_for_their_part_of_it() -> None:
    spent = Spent(lambda: 1.0, nothing_kept, at_rest, a_core=1.5)
    spent.add(report(180))
    spent.add(report(60, "alone"))
    assert spent.summary()[0][0] == "not slow: 2.0 of 2 minutes"


def test_a_faster_core_makes_no_minute_longer() -> None:
    slow, fast = (
        Spent(lambda: 1.0, nothing_kept, at_rest),
        Spent(lambda: 1.4, nothing_kept, at_rest),
    )
    for spent in (slow, fast):
        spent.add(report(240))
    assert fast.summary()[0][:3] == slow.summary()[0][:3]
    assert "one here does 1.40" in fast.summary()[0][3]


def test_time_that_the_host_kept_for_others_is_not_counted() -> None:
    times = iter([(100.0, 50.0), (400.0, 150.0)])
    spent = Spent(lambda: 0.8, lambda: next(times), at_rest)
    spent.add(report(240))
    lines, _ = spent.summary()
    assert lines[0] == "not slow: 1.2 of 2 minutes"
    assert "does 0.60 of its work, and is given 75% of the time" in lines[3]


def test_cores_that_are_slow_together_count_as_slow() -> None:
    speeds = iter([0.4, 0.6])
    spent = Spent(lambda: 1.2, nothing_kept, lambda: next(speeds))
    spent.add(report(240))
    assert spent.summary()[0][0] == "not slow: 1.0 of 2 minutes"


def test_the_speed_of_all_cores_is_measured() -> None:
    assert 0.02 < together_speed() < 5


def test_cores_that_work_are_seen_to() -> None:
    (before, kept), began = core_times(), time.process_time()
    while time.process_time() - began < 0.2:
        pass
    now, kept_now = core_times()
    assert now - before >= 10  # of a hundred ticks a second
    assert kept_now >= kept


def test_a_tier_beyond_its_budget_is_named() -> None:
    spent = Spent(lambda: 1.0, nothing_kept, at_rest)
    spent.add(report(4 * 60 + 12))
    lines, within = spent.summary()
    assert lines[0] == "not slow: 2.1 of 2 minutes, over"
    assert lines[1] == "not system: 2.1 of 10 minutes"
    assert within
    spent.add(report(3 * 60))
    lines, within = spent.summary()
    assert lines[0] == "not slow: 3.6 of 2 minutes, TOO LONG"
    assert not within
