"""Who sits where in the matches of a block: everybody moves on, seat by seat, once around."""

from collections.abc import Iterator


def moved_on(seats: int, shift: int) -> tuple[int, ...]:
    """By seat, which of the `seats` bots sits there after everybody moved down `shift` places."""
    return tuple((seat + shift) % seats for seat in range(seats))


def rotations(seats: int) -> Iterator[tuple[int, ...]]:
    """The seatings of a block: everybody sits in every seat once."""
    return (moved_on(seats, shift) for shift in range(seats))
