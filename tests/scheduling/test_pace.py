"""A pace lets a start through at once, then so many matches a second, whatever the steps."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.scheduling.pace import FULL_SPEED, Pace, read_pace


def begun(pace: Pace, times: list[float], block: int) -> list[float]:
    """When blocks began, asked for as often as possible at each of these times."""
    found = []
    for now in times:
        while pace.ready_at(block) <= now:
            pace.spend(now, block)
            found.append(now)
    return found


def test_a_start_goes_through_at_once_and_the_rest_at_the_pace() -> None:
    found = begun(Pace(0.5, burst=10), [100 + second for second in range(61)], block=2)
    assert found[:5] == [100] * 5
    assert found[5:] == [100 + 4 * number for number in range(1, 16)]  # two matches every 4 s


def test_a_block_is_begun_whole_or_not_at_all() -> None:
    pace = Pace(1, burst=10)
    assert len(begun(pace, [0], block=6)) == 1
    assert pace.ready_at(4) <= 0 < pace.ready_at(6) == 2


def test_what_was_not_played_is_not_made_up_for_beyond_the_start() -> None:
    pace = Pace(1, burst=10)
    assert len(begun(pace, [0], block=1)) == 10
    assert len(begun(pace, [1_000_000], block=1)) == 10


def test_at_full_speed_nothing_waits() -> None:
    pace = Pace(FULL_SPEED, burst=2)
    for _ in range(1000):
        assert pace.ready_at(6) <= 5
        pace.spend(5, 6)


@given(
    per_second=st.floats(0.01, 100),
    block=st.integers(1, 10),
    waits=st.lists(st.floats(0, 1000), max_size=20),
)
def test_a_timer_set_for_the_time_it_names_is_never_too_early(
    per_second: float, block: int, waits: list[float]
) -> None:
    pace, now = Pace(per_second, burst=10), 1_700_000.0
    for wait in waits:
        now = max(now + wait, pace.ready_at(block))
        assert pace.ready_at(block) <= now
        pace.spend(now, block)


@pytest.mark.parametrize(("text", "pace"), [("2", 2.0), ("0.5", 0.5), (" MAX ", math.inf)])
def test_a_pace_is_a_number_or_max(text: str, pace: float) -> None:
    assert read_pace(text) == pace


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "nan", "inf", "fast", "1,5", "1e-320", "0.0001", "1_0", "٣"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="matches a second, such as 2, or max"):
        read_pace(text)
