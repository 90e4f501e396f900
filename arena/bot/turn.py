"""What a bot is told: about its match once, and about each turn."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.games.game import AnyGame
from arena.match.clock import TimeControl
from arena.match.transcript import Entrant, Setup


@dataclass(frozen=True, slots=True)
class Match:
    """A match from the bot's seat: all that stays the same from its first turn to its last."""

    match_id: str
    game: AnyGame
    """The rules under this match's options: `game.name`, `game.options`, and pure functions."""
    seat: int
    """The bot's own seat, from 0."""
    entrants: tuple[Entrant, ...]
    """Who sits where, by seat."""
    time_control: TimeControl
    fault_limit: int
    """The number of faults by which a seat forfeits."""

    @classmethod
    def of(cls, setup: Setup, seat: int) -> "Match":
        """The match of a setup as one seat sees it."""
        return cls(
            setup.match_id,
            setup.make_game(),
            seat,
            setup.entrants,
            setup.time_control,
            setup.fault_limit,
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """A question to the bot: what will you do?"""

    match: Match
    number: int
    """Counts the questions of the match from 1, those to the other seats included."""
    view: Any
    """All that the seat may know now: a `BluffView` in a match of Bluff."""
    events: tuple[Any, ...]
    """What everybody learned since this bot's last turn in this match, oldest first."""
    turn_ms: int
    """Time for this turn that costs nothing, in milliseconds."""
    bank_ms: int
    """Time left in the bank of this match, in milliseconds."""

    @property
    def match_id(self) -> str:
        return self.match.match_id

    @property
    def game(self) -> AnyGame:
        return self.match.game

    @property
    def seat(self) -> int:
        return self.match.seat

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        return self.match.entrants

    def choices(self) -> Iterator[Any]:
        """All legal actions, lazily: Bluff with laying out dice has thousands."""
        return self.match.game.choices(self.view)
