"""Settings of all hosted matches: fault limit, patience, pace."""

from dataclasses import dataclass, field, replace

from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.faults import DEFAULT_FAULT_LIMIT
from arena.scheduling.pace import FULL_SPEED


@dataclass(frozen=True, slots=True)
class Patience:
    """Time limits for joining, reconnecting and after a decline.

    These are the limits at tables with the default time control.
    """

    join_seconds: float = 5.0
    """How long an offer stands: enough for a bot in the middle of a heavy move to read it."""
    grace_seconds: float = 15.0
    """How long a bot may be away before it forfeits: a restart of its process fits in."""
    decline_seconds: float = 5.0
    """How long a copy of a bot is offered nothing after it declined: often it is leaving, and an
    offer that is declined costs the others at the table their time."""

    def at(self, control: TimeControl) -> "Patience":
        """Return the limits at tables with that time control.

        A longer turn than the default lengthens joining and reconnecting by the difference, because
        a bot may read nothing while it thinks. A shorter turn shortens nothing, because network
        delays and restarts take the same time.
        """
        longer = max(0, control.turn_ms - DEFAULT_TIME_CONTROL.turn_ms) / 1000
        return replace(
            self,
            join_seconds=self.join_seconds + longer,
            grace_seconds=self.grace_seconds + longer,
        )


@dataclass(frozen=True, slots=True)
class Terms:
    """Faults, patience and pace."""

    fault_limit: int = DEFAULT_FAULT_LIMIT
    patience: Patience = field(default_factory=Patience)
    house_pace: float = FULL_SPEED
    """Matches per second that begin at tables of house bots only, shared among the ladders. The
    first matches after a start begin at full speed."""
