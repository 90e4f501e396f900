"""The fault policy: the consequences when a bot does not give a valid answer.

Each fault is recorded with its kind and its seat, and the game's default action is played instead.
A seat that reaches the fault limit, or stays away longer than the grace period, forfeits: it is
placed last, and default actions are played for it so that the others can finish. When at most one
seat has not forfeited, the match ends at once.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

DEFAULT_FAULT_LIMIT = 3


class FaultKind(Enum):
    """The reason why an answer did not count."""

    LATE = "late"
    """No answer within the turn's time and the bank."""
    ILLEGAL = "illegal"
    """An action of this game that the rules do not allow now."""
    MALFORMED = "malformed"
    """Not an action of this game."""
    ABSENT = "absent"
    """The bot stayed away longer than the grace period; it forfeits at once."""


REASONS: Final = {
    FaultKind.LATE: "no answer in time",
    FaultKind.ILLEGAL: "the rules did not allow the action",
    FaultKind.MALFORMED: "the answer was not an action of the game",
    FaultKind.ABSENT: "the bot stayed away too long",
}
"""The reason given for a fault if only its kind is known."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A seat's turn without a valid answer. `milliseconds` is the time the seat used."""

    kind: FaultKind
    milliseconds: int = 0
    reason: str = REASONS[FaultKind.LATE]


class FaultCount:
    """The faults of one match by seat."""

    def __init__(self, seat_count: int, limit: int) -> None:
        self.limit = limit
        self.faults = [0] * seat_count
        self.forfeited = [False] * seat_count
        self.decided = False
        """Whether at most one seat has not forfeited."""

    def record(self, seat: int, kind: FaultKind) -> None:
        """Count a fault; the seat forfeits if it reaches the limit."""
        self.faults[seat] += 1
        if kind is FaultKind.ABSENT or self.faults[seat] >= self.limit:
            self.forfeited[seat] = True
            self.decided = self.forfeited.count(False) <= 1
