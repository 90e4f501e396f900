"""`Bot`: the base class of bots; a bot author writes a subclass with one method."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar, Generic, TypeAlias

from typing_extensions import TypeVar  # for defaults, which typing has from Python 3.13 on

from arena.bot.turn import Match, Refusal, Turn
from arena.games.game import Options
from arena.match.notes import Usage
from arena.match.transcript import Transcript

AnyAction: TypeAlias = Any
"""An action of any game, for a bot that does not declare the types of its actions."""

ViewT = TypeVar("ViewT", default=Any)
ActionT = TypeVar("ActionT", default=Any)
EventT = TypeVar("EventT", default=object)
OptionsT = TypeVar("OptionsT", bound=Options, default=Any)


class NoAnswerError(Exception):
    """An exception that a bot's `act` raises when it has no answer.

    It is a fault like any other exception, but the log shows its message without a traceback. The
    message becomes the reason in `turn_refused`, because the referee only knows that it received no
    action.
    """


class Bot(ABC, Generic[ViewT, ActionT, EventT, OptionsT]):
    """A bot; one object plays one match in one seat.

    Everything it keeps in `self` therefore belongs to that match only.

    The type parameters are those of its game: `Bot[BluffView, Bet | Doubt]`, and, for a bot that
    reads events and options, `Bot[BluffView, Bet | Doubt, BluffEvent, BluffOptions]`. A bot of
    several games names unions of them. For a plain `Bot` only the methods' names are checked.

    Data shared by several matches (a table read from a file, a model of an opponent) belongs in the
    class or its module. No two methods of a process's bots run at once, so shared data needs no
    lock. If an arena has several referees, methods may be called in different threads, even in the
    same match.
    """

    games: ClassVar[tuple[str, ...]] = ("bluff",)
    """The ids of the games that the bot plays."""
    max_matches: ClassVar[int] = 16
    """The number of matches it plays at once, 1 to 64; choose few if the bot thinks long."""

    _noted: tuple[str, Usage | None] | None = None
    """The text and usage of the note beside the next answer; None without one."""

    def __init__(self, random: Random) -> None:
        """Set the random generator; subclasses need no `__init__`.

        Prepare for a match in `match_started`.

        Args:
            random: The generator for all the bot's random choices.
        """
        self.random = random
        """The generator for all random choices.

        With the same seed, `arena play` then plays the same match.
        """

    @abstractmethod
    def act(self, turn: Turn[ViewT, ActionT, EventT, OptionsT]) -> ActionT:
        """Return the action to play now.

        An exception (also `sys.exit`), or a result that is not an action of the game, counts as a
        malformed answer: a fault, after which the game's default action is played instead.

        Args:
            turn: The view of this seat, the events since its last turn, and the time left in
                milliseconds.

        Returns:
            A legal action; `turn.choices()` yields all of them.

        Raises:
            NoAnswerError: The bot has no answer; the message is logged without a traceback.
        """

    def note(self, text: str = "", usage: Usage | None = None) -> None:
        """Attach a note to the answer that `act` is about to return.

        You can read it after the match, with the transcript (docs/notes.md); other seats never see
        it. A second note in a turn replaces the first. A text that is too long is cut. A note never
        affects whether the answer counts.

        Args:
            text: The bot's thoughts, at most 2,000 bytes in UTF-8.
            usage: The answer's usage of a language model or another service.
        """
        self._noted = text, usage

    def probabilities(
        self,
        turn: Turn[ViewT, ActionT, EventT, OptionsT],  # noqa: ARG002  for subclasses
    ) -> Mapping[ActionT, float] | None:
        """Return the probability with which `act` plays each action in a turn, if that is known.

        A bot with known probabilities is worth more as an opponent: in matches against it, much of
        the luck can be computed and removed from the result (docs/benchmark.md). The probabilities
        may depend only on the view and the options, not on the match so far, and must be exact.

        Args:
            turn: A turn, possibly one that never occurs in a match of this object.

        Returns:
            The probabilities by action, which sum to 1; actions that are never played may be left
            out. The default, None, means that they are not known.
        """
        return None

    def match_started(self, match: Match[OptionsT]) -> None:
        """Handle the start of the match, called once when all have joined.

        It comes before the first turn, whose time may already be running.
        """

    def turn_refused(self, refusal: Refusal) -> None:
        """Handle a fault of the bot, called for each fault that the referee could report."""

    def match_ended(self, transcript: Transcript) -> None:
        """Handle the end of the match, called with its complete record.

        It is not called for a void match.
        """

    def match_called_off(self, reason: str) -> None:
        """Handle the end without a result of a match that had started.

        It is called instead of `match_ended`: the referee called the match off or no longer knows
        it after a reconnection, or its verification failed.
        """


AnyBot: TypeAlias = Bot[Any, Any, Any, Any]
"""A bot of any type parameters."""


def take_note(bot: AnyBot) -> tuple[str, Usage | None] | None:
    """Return the bot's note since the last call; None if there is none."""
    noted, bot._noted = bot._noted, None
    return noted
