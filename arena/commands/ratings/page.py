"""The selection of the lines of a leaderboard that a command prints."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arena.commands.errors import CommandError
from arena.server.boards.board_page import around, place_of

if TYPE_CHECKING:
    from arena.server.boards.board import BoardLine


@dataclass(frozen=True, slots=True)
class Page:
    """The best lines, or those around a bot's best."""

    bot: str | None = None
    limit: int = 50

    def of(self, lines: "Sequence[BoardLine]") -> range:
        """Return the positions of the selected lines.

        Raises CommandError if the bot has no line.
        """
        if self.bot is None:
            return range(min(self.limit, len(lines)))
        at = place_of(lines, self.bot)
        if at is None:
            raise CommandError(f"--bot {self.bot}: it has no rated match on this ladder.")
        return around(at, len(lines), self.limit)

    def within(self, most: int) -> "Page":
        """Return the same page with at most `most` lines."""
        return replace(self, limit=min(self.limit, most))
