"""What is sent is gathered for a moment that grows with the matches that the bot plays."""

import time

import pytest

from arena.server.play.outbox import DOUBT_SECONDS, MOST_UNTOLD, MOST_WAITING, Outbox
from tests.fakes import HandTimer


@pytest.mark.parametrize(
    ("matches", "seconds"), [(2, 0.0001), (11, 0.001), (41, 0.004), (64, 0.004)]
)
def test_each_match_beyond_the_first_adds_to_the_pause_up_to_a_limit(
    matches: int, seconds: float
) -> None:
    outbox = Outbox(lambda: None, lambda: None)
    outbox.matches = matches
    assert outbox.gather_seconds == pytest.approx(seconds)


def written(outbox: Outbox) -> bytes:
    """Take the next message as a stream that writes it at once; returns its bytes."""
    message = outbox.take()
    outbox.writing = False
    return message


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


def test_an_end_is_in_doubt_for_as_long_as_a_lost_line_may_be_unnoticed() -> None:
    timer = HandTimer()
    outbox = Outbox(lambda: None, lambda: None, timer.now)
    assert outbox.ends_in_doubt() == []
    outbox.add_end("first", b"one")
    assert written(outbox) == b"one"
    timer.turn(DOUBT_SECONDS)
    outbox.add_end("second", b"two")
    written(outbox)
    assert outbox.ends_in_doubt() == ["first", "second"]
    timer.turn(1)
    assert outbox.ends_in_doubt() == ["second"]
    outbox.add_end("third", b"three")
    assert outbox._ends is not None
    assert [match_id for _, match_id in outbox._ends] == ["second", "third"]


def test_an_end_that_still_waits_for_the_bot_to_read_is_in_doubt_for_longer() -> None:
    timer = HandTimer()
    outbox = Outbox(lambda: None, lambda: None, timer.now)
    outbox.add_end("sent", b"sent")
    written(outbox)
    timer.turn(1)
    outbox.add_end("waiting", b"one")
    timer.turn(2 * DOUBT_SECONDS)
    outbox.add_end("newest", b"two")
    assert outbox.ends_in_doubt() == ["waiting", "newest"]
    outbox.take()  # the bot reads no further: the message waits for its window
    timer.turn(DOUBT_SECONDS / 2)
    assert outbox.ends_in_doubt() == ["waiting", "newest"]
    outbox.writing = False
    assert outbox.ends_in_doubt() == ["newest"]


def test_of_a_stream_that_ends_in_order_only_ends_that_are_not_written_are_in_doubt() -> None:
    timer = HandTimer()
    outbox = Outbox(lambda: None, lambda: None, timer.now)
    outbox.add_end("written", b"")
    written(outbox)
    timer.turn(1)
    outbox.add_end("being written", b"")
    outbox.take()
    timer.turn(1)
    outbox.add_end("gathered", b"")
    outbox.trust_written()
    assert outbox.ends_in_doubt() == ["being written", "gathered"]
    outbox.writing = False
    outbox.trust_written()
    assert outbox.ends_in_doubt() == ["gathered"]
    written(outbox)
    outbox.trust_written()
    assert outbox.ends_in_doubt() == []


def test_of_very_many_ends_the_newest_are_in_doubt() -> None:
    outbox = Outbox(lambda: None, lambda: None)
    for number in range(MOST_UNTOLD + 1):
        outbox.add_end(str(number), b"")
    assert outbox.ends_in_doubt() == [str(number) for number in range(1, MOST_UNTOLD + 1)]
