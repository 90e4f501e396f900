"""Challenges: unrated matches that one connected bot requests against others that accept."""

from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from arena.records import Block, FinishedMatch, VersionId
from arena.scheduling.ladder import TableType
from arena.server.ladder.connected_bots import ConnectedBot


class ChallengeRefusal(Enum):
    """Why a challenge is refused."""

    IMPOSSIBLE = "impossible"
    """The challenge names a bot twice, or the challenger itself."""
    NOT_NOW = "not now"
    """A bot is not connected, does not accept or does not play the game."""
    TOO_MANY = "too many"
    """A bot or the referee has too many challenges at once."""


class ChallengeRefusedError(Exception):
    """Raised for a challenge that cannot be played; the message says why and what is possible."""

    def __init__(self, why: ChallengeRefusal, sentence: str) -> None:
        super().__init__(sentence)
        self.why = why


@dataclass(frozen=True, slots=True)
class Challenge:
    """The unrated matches that a bot asks for."""

    table_type: TableType
    challenger: VersionId
    instance: str
    """The connected copy of the challenger that plays; "" means the one with most free places."""
    opponents: tuple[str, ...]
    """Named opponents, as BOT or BOT:VERSION; the others at the table are chosen at random."""
    matches: int


BROKEN_OFF: Final = "A match was aborted because of an error of the referee."
"""The reason of a challenge that ends early because of an error of ours."""


class ChallengeFollower(Protocol):
    """A receiver of the progress of a challenge. No method blocks or raises."""

    def recorded(self, match: FinishedMatch) -> None:
        """Receive a match of the challenge that has been recorded."""
        ...

    def over(self, played: int, reason: str) -> None:
        """Receive the end of the challenge: no further match follows.

        `reason` is "" if all matches were played. Called once, as the last call.
        """
        ...


@dataclass(eq=False, slots=True)
class ChallengeRun:
    """A challenge that was accepted, until its last match is recorded."""

    wanted: Challenge
    challenger: ConnectedBot
    opponents: tuple[ConnectedBot, ...]
    block: Block
    follower: ChallengeFollower
    reason: str = ""
    """Why the challenge ended early, once it has; otherwise ""."""
    _settled: int = 0
    """The number of matches that storage has accepted or refused."""
    _played: int | None = None
    """The number of matches played; None until no further one follows."""

    @property
    def bots(self) -> tuple[ConnectedBot, ...]:
        """All bots of the challenge: the challenger, then its opponents."""
        return (self.challenger, *self.opponents)

    def absent(self, bot: ConnectedBot, *, declined: bool) -> None:
        """Note that a match did not begin because of this bot."""
        self.reason = f"{bot.name} {'declined' if declined else 'did not join in time'}."

    def recorded(self, match: FinishedMatch) -> None:
        """Report a match that storage has accepted."""
        self.follower.recorded(match)
        self.settled()

    def settled(self) -> None:
        """Count a match that storage has accepted or refused; report the end after the last one."""
        self._settled += 1
        self._tell_if_over()

    def lost(self) -> None:
        """Uncount a match that was played but is void; called after `ended`."""
        assert self._played is not None
        self._played -= 1
        self.reason = self.reason or BROKEN_OFF
        self._tell_if_over()

    def ended(self, played: int, reason: str) -> None:
        """Record that no further match will be played; report the end once all are stored."""
        self.reason = self.reason or reason
        self._played = played
        self._tell_if_over()

    def _tell_if_over(self) -> None:
        if self._played is not None and self._settled >= self._played:
            self.follower.over(self._played, self.reason)
