"""`Match`, `Turn`, `Refusal`: the data that a bot receives about its match and each turn."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic

from typing_extensions import TypeVar  # for defaults, which typing has from Python 3.13 on

from arena.games.game import Game, Options
from arena.match.clock import TimeControl
from arena.match.faults import FaultKind
from arena.match.transcript import Entrant, Setup

# Covariant, so that a function that needs fewer types accepts the turn: `Turn[BluffView]` accepts
# any turn of Bluff, whatever other types the bot declares.
ViewT_co = TypeVar("ViewT_co", default=Any, covariant=True)
ActionT_co = TypeVar("ActionT_co", default=Any, covariant=True)
EventT_co = TypeVar("EventT_co", default=object, covariant=True)
OptionsT_co = TypeVar("OptionsT_co", bound=Options, default=Any, covariant=True)


@dataclass(frozen=True, slots=True)
class Match(Generic[OptionsT_co]):
    """The constant data of a match, from the bot's seat.

    `Match[BluffOptions]` is a match of Bluff.
    """

    match_id: str
    game: Game[OptionsT_co, Any, Any, Any, Any]
    """The rules under this match's options: `game.name`, `game.options`, and pure functions."""
    seat: int
    """The bot's own seat, from 0."""
    entrants: tuple[Entrant, ...]
    """The entrants, by seat."""
    time_control: TimeControl
    fault_limit: int
    """The number of faults at which a seat forfeits."""

    @classmethod
    def of(cls, setup: Setup, seat: int) -> "Match[Any]":
        """Return the match of a setup as one seat sees it.

        Args:
            setup: The terms of the match, including its entrants.
            seat: The seat of the bot, from 0.
        """
        return cls(
            setup.match_id,
            setup.make_game(),
            seat,
            setup.entrants,
            setup.time_control,
            setup.fault_limit,
        )


@dataclass(frozen=True, slots=True)
class Refusal:
    """A fault of the bot: a turn whose answer did not count."""

    turn_number: int
    kind: FaultKind
    reason: str
    """The error in the answer, as a sentence."""
    legal: str
    """The legal alternatives, as a sentence."""
    faults: int
    """The number of the bot's faults in this match so far."""


@dataclass(frozen=True, slots=True)
class Turn(Generic[ViewT_co, ActionT_co, EventT_co, OptionsT_co]):
    """A turn of the bot: its view, the events since its last turn, and the time left.

    The type parameters are those of the bot, `Turn[BluffView, Bet | Doubt]`: its view and its
    actions; then, if the bot uses them, its events and options. If no type of events is named,
    distinguish them with `isinstance` or `match`.
    """

    match: Match[OptionsT_co]
    number: int
    """The number of the turn in the match, from 1, counting the other seats' turns too."""
    view: ViewT_co
    """Everything the seat may know now: a `BluffView` in a match of Bluff."""
    events: tuple[EventT_co, ...]
    """The public events since this bot's last turn in this match, oldest first."""
    turn_ms: int
    """The time for this turn that does not use the bank, in milliseconds."""
    bank_ms: int
    """The time left in the bank of this match, in milliseconds."""

    @property
    def match_id(self) -> str:
        """The id of the match."""
        return self.match.match_id

    @property
    def game(self) -> Game[OptionsT_co, Any, Any, Any, Any]:
        """The rules under this match's options."""
        return self.match.game

    @property
    def seat(self) -> int:
        """The bot's own seat, from 0."""
        return self.match.seat

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """The entrants, by seat."""
        return self.match.entrants

    def choices(self) -> Iterator[ActionT_co]:
        """Yield all legal actions lazily: Bluff with laying out dice has thousands."""
        choices: Iterator[ActionT_co] = self.match.game.choices(self.view)
        return choices
