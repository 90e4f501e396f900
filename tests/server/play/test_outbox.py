"""What is sent is gathered for a moment that grows with the matches that the bot plays."""

import time

import pytest

from arena.server.play.outbox import MOST_WAITING, Outbox


@pytest.mark.parametrize(
    ("matches", "seconds"), [(2, 0.0001), (11, 0.001), (41, 0.004), (64, 0.004)]
)
def test_each_match_beyond_the_first_adds_to_the_pause_up_to_a_limit(
    matches: int, seconds: float
) -> None:
    outbox = Outbox(lambda: None, lambda: None)
    outbox.matches = matches
    assert outbox.gather_seconds == pytest.approx(seconds)


def test_what_was_taken_is_not_taken_again() -> None:
    outbox = Outbox(lambda: None, lambda: None)
    outbox.add(b"one")
    outbox.add(b"more")
    assert outbox.take() == b"onemore"
    outbox.add(b"two")
    assert outbox.take() == b"two"


def test_it_tells_once_that_there_is_something_to_take_until_it_is_taken() -> None:
    told: list[None] = []
    outbox = Outbox(lambda: None, lambda: told.append(None))
    assert not outbox.parts
    outbox.add(b"one")
    outbox.add(b"two")
    assert (len(told), outbox.parts) == (1, [b"one", b"two"])
    outbox.take()
    assert not outbox.parts
    outbox.add(b"three")
    assert len(told) == 2


def test_it_tells_since_when_the_first_part_waited() -> None:
    outbox = Outbox(lambda: None, lambda: None)
    before = time.monotonic()
    outbox.add(b"one")
    between = time.monotonic()
    outbox.add(b"two")
    outbox.take()
    assert before <= outbox.taken_begun <= between


def test_a_bot_that_does_not_read_is_told_of_once() -> None:
    overflows: list[None] = []
    outbox = Outbox(lambda: overflows.append(None), lambda: None)
    for _ in range(MOST_WAITING - 1):
        outbox.add(b"")
    assert overflows == []
    outbox.add(b"")
    outbox.add(b"")
    assert len(overflows) == 1


def test_whoever_writes_is_told_that_it_is_closed_when_nothing_waits() -> None:
    told: list[bool] = []
    outbox = Outbox(lambda: None, lambda: told.append(outbox.closed))
    outbox.close()
    assert told == [True]
