"""Tables are looked for when some blocks have ended, or a little later at most."""

import pytest

from arena.server.ladder.pairing_schedule import MOST_SECONDS, PairingBatch, PairingSchedule
from tests.fakes import HandTimer


def test_where_few_blocks_run_tables_are_looked_for_at_once() -> None:
    assert PairingBatch().ended(seconds=5.0, running=9) == 0


def test_among_many_a_tenth_ends_first_or_a_tenth_of_the_time_of_a_block_passes() -> None:
    gathering = PairingBatch()
    for _ in range(200):
        gathering.looked()
        waits = [gathering.ended(seconds=2.0, running=30) for _ in range(3)]
    assert waits == [pytest.approx(0.2), pytest.approx(0.2), 0]


def test_nobody_waits_long_among_bots_that_think_for_minutes() -> None:
    gathering = PairingBatch()
    for _ in range(100):
        wait = gathering.ended(seconds=1_000.0, running=10_000)
    assert wait == MOST_SECONDS


def test_blocks_that_end_close_together_cause_one_look() -> None:
    timer, looks = HandTimer(), list[float]()
    schedule = PairingSchedule(timer, lambda: looks.append(timer.now()))
    for number in range(1, 3):
        for _ in range(3):
            schedule.block_ended(seconds=10, running=1_000)
            timer.turn(0.001)
        assert len(looks) == number - 1
        timer.turn(MOST_SECONDS)
        assert len(looks) == number


def test_when_a_tenth_of_the_running_blocks_have_ended_it_looks_at_once() -> None:
    timer, looks = HandTimer(), list[float]()
    schedule = PairingSchedule(timer, lambda: looks.append(timer.now()))
    for number in range(10):
        timer.turn()
        assert looks == []
        schedule.block_ended(seconds=1_000, running=100 - number)
    timer.turn()
    assert looks == [timer.now()]
    timer.turn(MOST_SECONDS)
    assert len(looks) == 1
