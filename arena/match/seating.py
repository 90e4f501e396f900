"""The seatings of a block: from match to match every bot moves one seat on, once around."""


def moved_on(seats: int, shift: int) -> tuple[int, ...]:
    """Return the index of the bot of each seat after all have moved down `shift` places."""
    return tuple([(seat + shift) % seats for seat in range(seats)])
