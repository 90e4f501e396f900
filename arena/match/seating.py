"""The seatings of a block: bots move by one seat per match, until each has sat in every seat."""


def moved_on(seats: int, shift: int) -> tuple[int, ...]:
    """Return the index of the bot in each seat after all bots have moved down `shift` seats."""
    return tuple([(seat + shift) % seats for seat in range(seats)])
