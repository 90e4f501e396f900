"""An alarm rings once, at the earliest time that it was set to."""

from math import inf

from arena.server.play.alarm import Alarm
from tests.fakes import HandTimer


class Bell:
    """An alarm and the times at which it rang."""

    def __init__(self) -> None:
        self.timer = HandTimer(100.0)
        self.rang: list[float] = []
        self.alarm = Alarm(self.timer, lambda: self.rang.append(self.timer.now()))


def test_it_rings_at_its_time_and_once() -> None:
    bell = Bell()
    bell.alarm.set(105.0)
    assert bell.alarm.at == 105.0
    bell.timer.turn(4.9)
    assert bell.rang == []
    bell.timer.turn(60)
    assert bell.rang == [105.0]
    assert bell.alarm.at == inf


def test_only_the_earliest_of_its_times_counts() -> None:
    bell = Bell()
    for when in (110.0, 103.0, 120.0, 107.0):
        bell.alarm.set(when)
        assert bell.timer.arranged == 1
    bell.timer.turn(60)
    assert bell.rang == [103.0]


def test_after_it_was_cancelled_it_is_silent_for_good() -> None:
    bell = Bell()
    bell.alarm.set(105.0)
    bell.alarm.cancel()
    assert bell.timer.arranged == 0
    bell.timer.turn(10)
    bell.alarm.set(120.0)
    bell.timer.turn(10)
    assert bell.rang == []


def test_after_it_rang_it_can_be_set_again() -> None:
    bell = Bell()
    bell.alarm.set(101.0)
    bell.timer.turn(1)
    bell.alarm.set(102.0)
    bell.timer.turn(1)
    assert bell.rang == [101.0, 102.0]
