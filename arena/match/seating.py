"""The seatings of a block: from match to match every bot moves one seat on, once around."""

from collections.abc import Iterator


def moved_on(seats: int, shift: int) -> tuple[int, ...]:
    """Return the index of the bot of each seat after all have moved down `shift` places."""
    return tuple((seat + shift) % seats for seat in range(seats))


def rotations(seats: int) -> Iterator[tuple[int, ...]]:
    """Yield the seatings of a block, in which every bot sits in every seat once."""
    return (moved_on(seats, shift) for shift in range(seats))
