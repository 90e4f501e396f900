"""What happens when a bot does not answer as it should: the one place of that policy.

Each fault is recorded with its kind and its seat, and the game's default action is played in its
stead. A seat whose faults reach the limit, or that stays away longer than the grace, forfeits: it
is placed last, and the default action plays on for it so that the others finish undisturbed. When
no more than one seat is left that has not forfeited, the match ends at once.
"""

from dataclasses import dataclass
from enum import Enum

DEFAULT_FAULT_LIMIT = 3


class FaultKind(Enum):
    """Why an answer did not count."""

    LATE = "late"
    """No answer within the turn's time and the bank."""
    ILLEGAL = "illegal"
    """An action of this game that the rules do not allow now."""
    MALFORMED = "malformed"
    """No action of this game at all."""
    ABSENT = "absent"
    """The bot stayed away longer than the grace; forfeits at once."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A seat's turn without a valid answer. `milliseconds` is the time the seat used."""

    kind: FaultKind
    milliseconds: int = 0
    reason: str = "no answer in time"


class FaultCount:
    """The faults of one match, seat by seat."""

    def __init__(self, seat_count: int, limit: int) -> None:
        self.limit = limit
        self.faults = [0] * seat_count
        self.forfeited = [False] * seat_count
        self.decided = False
        """Whether forfeits leave nobody to play against."""

    def record(self, seat: int, kind: FaultKind) -> None:
        """Count a fault; the seat may forfeit by it."""
        self.faults[seat] += 1
        if kind is FaultKind.ABSENT or self.faults[seat] >= self.limit:
            self.forfeited[seat] = True
            self.decided = self.forfeited.count(False) <= 1
