"""`event_details`: an event as a message."""

from datetime import datetime
from typing import Final

from arena.moments import milliseconds
from arena.server.events.event import Admission, Event, Phase
from arena.v1 import event_pb2 as pb

_PHASES: Final = {phase: pb.EventPhase.Value(f"EVENT_PHASE_{phase.name}") for phase in Phase}


def event_details(event: Event, now: datetime) -> pb.EventDetails:
    """Return what everybody may know of an event."""
    terms, dates, limits = event.terms, event.terms.dates, event.terms.limits
    return pb.EventDetails(
        name=event.name,
        title=terms.title,
        text=terms.text,
        phase=_PHASES[event.phase(now)],
        opens_ms=milliseconds(dates.opens),
        freezes_ms=milliseconds(dates.freezes),
        final_ms=milliseconds(dates.final),
        results_ms=milliseconds(dates.results),
        entries=event.entries,
        needs_code=terms.entry is Admission.CODE,
        roster_only=terms.entry is Admission.ROSTER,
        left_ms=max(0, milliseconds(dates.freezes) - milliseconds(now)),
        most_members=limits.members or 0,
        builds_a_day=limits.builds or 0,
        most_bots=limits.bots or 0,
        commitment=event.commitment,
        seed=event.seed or b"",
        live=terms.live,
        ladder=terms.ladder is not None,
        private=terms.private,
        connected=terms.connected,
    )
