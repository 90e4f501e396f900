"""`Bot`: the base class of bots; a bot author writes a subclass with one method."""

from abc import ABC, abstractmethod
from random import Random
from typing import Any, ClassVar, Generic, TypeAlias

from typing_extensions import TypeVar  # for defaults, which typing has from Python 3.13 on

from arena.bot.turn import Match, Refusal, Turn
from arena.games.game import Options
from arena.match.transcript import Transcript

AnyAction: TypeAlias = Any
"""An action of any game, for a bot that does not say of which types its actions are."""

ViewT = TypeVar("ViewT", default=Any)
ActionT = TypeVar("ActionT", default=Any)
EventT = TypeVar("EventT", default=object)
OptionsT = TypeVar("OptionsT", bound=Options, default=Any)


class NoAnswerError(Exception):
    """Raised by a bot's `act` that has no answer.

    It is a fault like any exception, but logged by its message, without a traceback. The message is
    then the reason that `turn_refused` gets: the referee only knows that it got no action.
    """


class Bot(ABC, Generic[ViewT, ActionT, EventT, OptionsT]):
    """A player.

    One object plays one match in one seat, so everything it keeps in `self` belongs to that match
    only.

    The types are those of its game: `Bot[BluffView, Bet | Doubt]`, and, for a bot that looks at
    events and options, `Bot[BluffView, Bet | Doubt, BluffEvent, BluffOptions]`. A bot of several
    games names unions of them. For a plain `Bot` only the methods' names are checked.

    Data shared by several matches (a table read from a file, a model of an opponent) belongs in the
    class or its module. No two methods of a process's bots run at once, so it needs no lock. Where
    an arena has several referees they are called in several threads, even those of one match.
    """

    games: ClassVar[tuple[str, ...]] = ("bluff",)
    """The ids of the games it plays."""
    max_matches: ClassVar[int] = 16
    """How many matches it plays at once, 1 to 64. Choose few if the bot thinks long."""

    def __init__(self, random: Random) -> None:
        """Do nothing: subclasses need no `__init__`.

        Prepare for a match in `match_started`.
        """
        self.random = random
        """Use it for all chance: with the same seed, `arena play` then plays the same match."""

    @abstractmethod
    def act(self, turn: Turn[ViewT, ActionT, EventT, OptionsT]) -> ActionT:
        """Return the action to play now.

        An exception (`sys.exit` raises one, too), or a result that is not an action of the game,
        counts as
        a malformed answer: a fault, and the game's default action is played instead.

        Args:
            turn: The open turn: the seat's view, the events since its last turn, and the time left.

        Raises:
            NoAnswerError: The bot has no answer; the message is logged without a traceback.
        """

    def match_started(self, match: Match[OptionsT]) -> None:
        """Prepare for a match.

        Called once, when all have joined: before the first turn, whose time may be running.
        """

    def turn_refused(self, refusal: Refusal) -> None:
        """React to a fault of the bot.

        Called for each one, as far as the referee could report it.
        """

    def match_ended(self, transcript: Transcript) -> None:
        """React to the end of the match, with everything that happened.

        Not called for a void match.

        Args:
            transcript: All draws, actions and faults, and the result.
        """

    def match_called_off(self, reason: str) -> None:
        """React to a match that had started and was called off.

        Called instead of `match_ended`: the referee called it off or does not know it after a
        reconnection, or its verification failed.
        """


AnyBot: TypeAlias = Bot[Any, Any, Any, Any]
"""A bot of any types."""
