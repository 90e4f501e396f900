"""Blocks that end close together cause one look for tables."""

from arena.server.ladder.pairing_schedule import MOST_SECONDS, PairingSchedule
from tests.fakes import HandTimer


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
