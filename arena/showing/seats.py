"""The data of the seats at a table, in the form that the player takes."""

from collections.abc import Iterable
from typing import Any


def by_seat(seats: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return entries by the seat's number: a mapping, because only its changes are sent.

    For the same reason every entry of a game has the same keys.
    """
    return {str(seat): entry for seat, entry in enumerate(seats)}
