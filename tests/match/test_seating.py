"""A block's seatings."""

from hypothesis import given
from hypothesis import strategies as st

from arena.match.seating import moved_on


@given(st.integers(2, 10))
def test_a_blocks_rotations_seat_everybody_in_every_seat_once(seats: int) -> None:
    orders = [moved_on(seats, shift) for shift in range(seats)]
    for seat in range(seats):
        assert sorted(order[seat] for order in orders) == list(range(seats))


def test_everybody_moves_down_one_seat_at_a_time() -> None:
    assert moved_on(3, 0) == (0, 1, 2)
    assert moved_on(3, 1) == (1, 2, 0)
    assert moved_on(3, 4) == moved_on(3, 1)
