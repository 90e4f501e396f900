"""Challenges: unrated matches that one connected bot asks for, against others that accept."""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from arena.records import Block, FinishedMatch, VersionId
from arena.scheduling.ladder import TableType
from arena.server.ladder.connected_bots import ConnectedBot


class ChallengeRefusal(Enum):
    """Why a challenge is refused."""

    IMPOSSIBLE = "impossible"
    """It names a bot twice, or the challenger itself."""
    NOT_NOW = "not now"
    """A bot is not connected, does not accept or does not play the game."""
    TOO_MANY = "too many"
    """Somebody has too many challenges at once."""


class ChallengeRefusedError(Exception):
    """A challenge that cannot be played; the message says why and what is possible."""

    def __init__(self, why: ChallengeRefusal, sentence: str) -> None:
        super().__init__(sentence)
        self.why = why


@dataclass(frozen=True, slots=True)
class Challenge:
    """What a bot asks for."""

    table_type: TableType
    challenger: VersionId
    instance: str
    """The connected copy of the challenger that plays; "" is the one with most free places."""
    opponents: tuple[str, ...]
    """As BOT or BOT:VERSION; the others at the table are chosen by chance."""
    matches: int


class ChallengeFollower(Protocol):
    """Is told what becomes of a challenge. No method blocks or raises."""

    def recorded(self, match: FinishedMatch) -> None:
        """Note that a match of it is recorded."""
        ...

    def over(self, played: int, reason: str) -> None:
        """No further match follows; `reason` is "" if all were played. Called once, at last."""
        ...


@dataclass(eq=False, slots=True)
class ChallengeRun:
    """A challenge that was accepted, until its last match is recorded."""

    wanted: Challenge
    challenger: ConnectedBot
    opponents: tuple[ConnectedBot, ...]
    block: Block
    follower: ChallengeFollower
    began: bool = False
    reason: str = ""
    """Why it ended before its time, once it did."""
    _settled: int = 0
    """Matches that storage has taken or refused."""
    _played: int | None = None
    """How many matches were played, once no further one follows."""

    @property
    def bots(self) -> tuple[ConnectedBot, ...]:
        return (self.challenger, *self.opponents)

    def absent(self, bot: ConnectedBot, *, declined: bool) -> None:
        """Note that a match of it did not begin because of this bot."""
        self.reason = f"{bot.name} {'declined' if declined else 'did not join in time'}."

    def recorded(self, match: FinishedMatch) -> None:
        """Storage has taken a match."""
        self.follower.recorded(match)
        self.settled()

    def settled(self) -> None:
        """Note that a match needs no further writing."""
        self._settled += 1
        self._tell_if_over()

    def ended(self, played: int, reason: str) -> None:
        """No further match will be played."""
        self.reason = self.reason or reason
        self._played = played
        self._tell_if_over()

    def _tell_if_over(self) -> None:
        if self._played is not None and self._settled >= self._played:
            self.follower.over(self._played, self.reason)
