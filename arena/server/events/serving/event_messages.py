"""Messages of the proto's EventService: events, ladders and results."""

from datetime import datetime
from typing import Final

from arena.codec.mirrored import message_of
from arena.match.transcript import Entrant
from arena.moments import milliseconds
from arena.server.events.event import Admission, Event, Phase
from arena.server.events.finals.standings import FinalLine
from arena.server.events.ladders.ladder_standings import LadderLine, LadderMatch
from arena.v1 import event_pb2 as pb
from arena.v1 import transcript_pb2

_PHASES: Final = {phase: pb.EventPhase.Value(f"EVENT_PHASE_{phase.name}") for phase in Phase}


def event_details(event: Event, now: datetime) -> pb.EventDetails:
    """Return the public details of an event."""
    terms, limits = event.terms, event.terms.limits
    return message_of(
        pb.EventDetails,
        terms,
        name=event.name,
        phase=_PHASES[event.phase(now)],
        opens_ms=milliseconds(terms.dates.opens),
        freezes_ms=milliseconds(terms.dates.freezes),
        final_ms=milliseconds(terms.dates.final),
        results_ms=milliseconds(terms.dates.results),
        entries=event.entries,
        needs_code=terms.entry is Admission.CODE,
        roster_only=terms.entry is Admission.ROSTER,
        left_ms=max(0, milliseconds(terms.dates.freezes) - milliseconds(now)),
        most_members=limits.members,
        builds_a_day=limits.builds,
        most_bots=limits.bots,
        commitment=event.commitment,
        seed=event.seed,
        ladder=terms.ladder is not None,
    )


def ladder_line(line: LadderLine) -> pb.EventLadderLine:
    """Return a line of the standings on a ladder."""
    low, high = line.interval
    entrant, house = _entrant(line.player.entrant), line.player.house
    return message_of(
        pb.EventLadderLine, line, entrant=entrant, house=house, elo_low=low, elo_high=high
    )


def standing(line: FinalLine) -> pb.EventStanding:
    """Return a line of the standings of a final."""
    return message_of(pb.EventStanding, line, entrant=_entrant(line.entrant))


def match(found: LadderMatch) -> pb.EventMatch:
    """Return a match."""
    seats = [
        pb.EventSeat(entrant=_entrant(player.entrant), placing=placing)
        for player, placing in found.seats
    ]
    return message_of(pb.EventMatch, found, seats=seats)


def _entrant(entrant: Entrant) -> transcript_pb2.Entrant:
    return message_of(transcript_pb2.Entrant, entrant)
