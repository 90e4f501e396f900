"""What a bot author writes: a subclass of Bot with one method."""

from abc import ABC, abstractmethod
from random import Random
from typing import Any, ClassVar, TypeAlias

from arena.bot.turn import Match, Turn
from arena.match.transcript import Transcript

Action: TypeAlias = Any
"""An action of the match's game, such as `Bet(3, Face.STAR)` or `Doubt()`."""


class Bot(ABC):
    """A player. One object plays one match in one seat, so whatever it keeps in `self` is its
    memory of that match and of no other.

    What several matches share (a table read from a file, an opinion of an opponent) belongs to the
    class or its module. All matches of a process are played in one thread, turn by turn.
    """

    games: ClassVar[tuple[str, ...]] = ("bluff",)
    """The ids of the games it plays."""
    max_matches: ClassVar[int] = 16
    """How many matches it plays at once, 1 to 64. A slow thinker asks for few."""

    def __init__(self, random: Random) -> None:
        """Subclasses need no `__init__`; `match_started` is the place to get ready."""
        self.random = random
        """Use it for all chance: with the same seed, `arena play` then plays the same match."""

    @abstractmethod
    def act(self, turn: Turn) -> Action:
        """What to do now.

        An exception, or anything that is no action of the game, counts as a malformed answer: a
        fault, and the game's default action is played instead.
        """

    def match_started(self, match: Match) -> None:  # noqa: B027  a hook, empty on purpose
        """Called once, before the first turn."""

    def match_ended(self, transcript: Transcript) -> None:  # noqa: B027
        """Called at the end, with everything that happened. Not called for a match broken off."""
