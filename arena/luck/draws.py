"""What one draw gave to each seat: the unit that luck is told in."""

from typing import Any, NamedTuple


class DrawLuck(NamedTuple):
    """What one draw gave, beyond the expectation.

    A named tuple, because a referee makes some for every match that it records.
    """

    step: int
    """The position of the draw in the transcript, from 1."""
    draw: Any
    seats: tuple[float, ...]
    """In expected points: the share of the other seats that one beats. The sum is 0."""


def between(winner: int, loser: int, luck: float, seats: int) -> tuple[float, ...]:
    """By seat, of a draw that only two of them gain or lose by."""
    lucks = [0.0] * seats
    lucks[winner], lucks[loser] = luck, -luck
    return tuple(lucks)
