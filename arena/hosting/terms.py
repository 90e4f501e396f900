"""Settings of all hosted matches: time control, fault limit, patience, pace."""

from dataclasses import dataclass, field

from arena.match.clock import TimeControl
from arena.match.faults import DEFAULT_FAULT_LIMIT
from arena.scheduling.pace import FULL_SPEED


@dataclass(frozen=True, slots=True)
class Patience:
    """Time limits for joining, for reconnecting and after a decline."""

    join_seconds: float = 5.0
    """How long an offer stands: enough for a bot in the middle of a heavy move to read it."""
    grace_seconds: float = 15.0
    """How long a bot may be away before it forfeits: a restart of its process fits in."""
    decline_seconds: float = 5.0
    """How long a copy of a bot is offered nothing after it declined: often it is leaving, and an
    offer that is declined costs the others at the table their time."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Time, faults, patience and pace."""

    time_control: TimeControl = field(default_factory=TimeControl)
    fault_limit: int = DEFAULT_FAULT_LIMIT
    patience: Patience = field(default_factory=Patience)
    house_pace: float = FULL_SPEED
    """Matches a second that begin at tables where only bots of the house sit, after a start at
    full speed; shared among the ladders."""
