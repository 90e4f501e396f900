"""The choice of the lines of a long leaderboard that are shown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.database.names import folded

# Imported for types only, so that numpy is not loaded.
if TYPE_CHECKING:
    from arena.server.boards.board import BoardLine


def place_of(lines: "Sequence[BoardLine]", bot: str) -> int | None:
    """Return the position of a bot's best line, by its name in any case; None if it has none."""
    wanted = folded(bot)
    return next((at for at, line in enumerate(lines) if folded(line.bot) == wanted), None)


def around(place: int, count: int, most: int) -> range:
    """Return at most `most` of `count` positions, with `place` in the middle if possible."""
    start = max(0, min(place - most // 2, count - most))
    return range(start, min(start + most, count))


def page_of(place: int, count: int, most: int) -> range:
    """Return the positions of the page of `most` lines with `place`, or of the last page."""
    start = max(0, min(place, count - 1)) // most * most
    return range(start, min(start + most, count))
