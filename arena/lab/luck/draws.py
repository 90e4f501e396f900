"""The luck of one draw for each seat."""

from typing import Any, NamedTuple


class DrawLuck(NamedTuple):
    """The luck of one draw: its value to each seat minus the expected value.

    A named tuple, because a referee makes several for every match that it records.
    """

    step: int
    """The position of the draw in the transcript, from 1."""
    draw: Any
    seats: tuple[float, ...]
    """The luck of each seat in expected points (the share of the other seats that a seat beats).
    The sum is 0.
    """


def between(winner: int, loser: int, luck: float, seats: int) -> tuple[float, ...]:
    """Return the luck by seat of a draw that affects only two seats."""
    lucks = [0.0] * seats
    lucks[winner], lucks[loser] = luck, -luck
    return tuple(lucks)
