"""At how many of several referees the bots play, by how busy these are."""

import math
import time
from pathlib import Path

import pytest

from arena.server.failover import loop_load
from arena.server.failover.loop_load import MEMORY_SECONDS, LoopLoad, busy_seconds
from arena.server.failover.spreading import ALL, FULL, SETTLE_SECONDS, Spreading

BUSY, IDLE = 0.95, 0.02


class Senior:
    """Decides by a clock that is turned by hand."""

    def __init__(self, full: float = FULL) -> None:
        self.time = 0.0
        self.spreading = Spreading(full, lambda: self.time)

    def later(self, *loads: float, bound: int = 0, seconds: float = SETTLE_SECONDS) -> int:
        self.time += seconds
        self.spreading.decide(loads, bound)
        return self.spreading.in_use


def test_bots_play_at_the_oldest_while_it_has_room() -> None:
    senior = Senior()
    assert [senior.later(load, IDLE, IDLE) for load in (0.0, 0.5, 0.74)] == [1, 1, 1]


def test_more_are_used_one_after_the_other_while_those_that_are_in_use_are_full() -> None:
    senior = Senior()
    assert senior.later(BUSY, IDLE, IDLE) == 2
    assert senior.later(0.9, 0.9, IDLE) == 3
    assert senior.later(0.9, 0.9, 0.9) == 3


def test_referees_that_share_a_load_of_one_are_used_on_until_it_has_grown_smaller() -> None:
    senior = Senior()
    assert senior.later(0.75, IDLE) == 2
    assert senior.later(0.46, 0.46) == 2  # the same matches, dearer by a fifth
    assert senior.later(0.26, 0.26) == 2
    assert senior.later(0.24, 0.24) == 1


def test_nothing_changes_before_the_matches_have_moved() -> None:
    senior = Senior()
    assert senior.later(BUSY, IDLE) == 2
    assert senior.later(IDLE, IDLE, seconds=SETTLE_SECONDS - 1) == 2
    assert senior.later(IDLE, IDLE, seconds=1) == 1


def test_a_referee_with_bots_of_one_address_is_used_at_once_and_until_they_have_left() -> None:
    senior = Senior()
    assert senior.later(IDLE, IDLE, IDLE, bound=2) == 2
    assert senior.later(IDLE, IDLE, IDLE, bound=2) == 2
    assert senior.later(IDLE, IDLE, IDLE, bound=3, seconds=0) == 3
    assert [senior.later(IDLE, IDLE, IDLE, bound=0) for _ in range(3)] == [2, 1, 1]


def test_a_new_senior_goes_on_from_what_the_one_before_it_had_decided() -> None:
    senior = Senior()
    senior.spreading.follow(3)
    assert senior.later(0.7, 0.7, 0.7) == 3
    senior.spreading.follow(3)
    assert senior.later(0.7, 0.7) == 2
    senior.spreading.follow(ALL)  # of an earlier release
    assert senior.later(0.7, 0.7) == 2


@pytest.mark.parametrize("loads", [(IDLE, IDLE), (BUSY, IDLE, IDLE)])
def test_with_no_load_to_wait_for_all_are_used_always(loads: tuple[float, ...]) -> None:
    senior = Senior(full=0)
    assert senior.spreading.in_use == ALL
    assert senior.later(*loads, bound=1) == ALL


def test_a_load_is_a_mean_of_the_last_seconds() -> None:
    time = [0.0, 0.0]
    load = LoopLoad(lambda: time[0], lambda: time[1])
    assert load() == 0
    for _ in range(5):  # it works half of the time
        time[0] += MEMORY_SECONDS / 10
        time[1] += MEMORY_SECONDS / 5
        found = load()
    assert found == pytest.approx(0.5 * (1 - math.exp(-1)))
    assert load() == load.latest == found
    time[1] += 1000
    assert load.latest == found
    assert load() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("told", ["by the system", "0 0 0\n", "nothing\n", None])
def test_a_thread_that_works_is_busy_whatever_the_system_tells(
    told: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if told != "by the system":
        monkeypatch.setattr(loop_load, "_THREAD", tmp_path / "schedstat")
    if told is not None:
        (tmp_path / "schedstat").write_text(told)
    before, until = busy_seconds(), time.thread_time() + 0.1
    while time.thread_time() < until:
        pass
    assert busy_seconds() - before >= 0.08  # the system counts in steps of some milliseconds


def test_without_a_bound_a_new_senior_uses_all_again() -> None:
    senior = Senior(full=0)
    senior.spreading.follow(2)
    assert senior.later(IDLE, IDLE, IDLE) == ALL
