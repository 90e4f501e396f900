"""The log of rated results, and who is in it, as boards read them."""

from collections.abc import Collection, Mapping
from typing import Any

from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.storage import statements
from arena.storage.reading import Read


def rated_results(
    read: Read,
    game: str,
    options: Mapping[str, Any],
    seats: Collection[int],
    after: int = 0,
    time_control: TimeControl = DEFAULT_TIME_CONTROL,
) -> list[Any]:
    """The results of a ladder that count, in their order."""
    return list(read(statements.rated_results(game, options, seats, after, time_control)))
