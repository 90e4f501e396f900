"""Who stands still counts as dead, by the watcher's own clock; who cannot look blames nobody."""

from types import SimpleNamespace
from typing import Any

import pytest

from arena.database import process_identity
from arena.database.process_identity import has_ended, own_identity
from arena.server.failover.lease import RENEW_SECONDS
from arena.server.failover.lease_monitor import LOOK_SECONDS, STILL_SECONDS, LeaseMonitor


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def row(renewals: int, process: str = "elsewhere 1 1") -> Any:
    return SimpleNamespace(epoch=7, renewals=renewals, released_at=None, process=process)


def dead_at(clock: Clock, watch: LeaseMonitor, *looks: float) -> list[bool]:
    """Whether one that stands still counts as dead, at these seconds."""
    found = []
    for seconds in looks:
        clock.seconds = 100.0 + seconds
        found.append(7 in watch.look([row(1)]).dead)
    return found


def test_who_stands_still_is_dead_after_two_seconds_of_looking() -> None:
    clock = Clock()
    watch = LeaseMonitor(clock)
    assert dead_at(clock, watch, 0, 0.9, 1.8, 1.99, 2.0) == [False] * 4 + [True]
    assert watch.look([row(1)]).dead == {7: 1}
    assert watch.look([row(2)]).living == {7}


def test_seconds_in_which_nobody_looked_count_for_nobody() -> None:
    clock = Clock()
    watch = LeaseMonitor(clock)
    assert dead_at(clock, watch, 0, 10, 10.9, 11.1) == [False, False, False, True]


def test_a_death_that_nobody_sees_is_noticed_within_three_seconds() -> None:
    assert STILL_SECONDS + 2 * RENEW_SECONDS <= 3
    assert RENEW_SECONDS < LOOK_SECONDS < STILL_SECONDS


def test_where_processes_cannot_be_told_apart_none_is_known_to_have_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nowhere() -> str:
        raise OSError("there is no /proc")

    known = own_identity()
    monkeypatch.setattr(process_identity, "_place", nowhere)
    assert own_identity() == ""
    assert not has_ended(f"{known}0")
