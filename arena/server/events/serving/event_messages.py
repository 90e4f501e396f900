"""Messages of the proto's EventService about ladders and results."""

from arena.match.transcript import Entrant
from arena.moments import milliseconds
from arena.server.events.finals.standings import FinalLine
from arena.server.events.ladders.ladder_standings import LadderLine, LadderMatch
from arena.v1 import event_pb2 as pb
from arena.v1 import transcript_pb2


def ladder_line(line: LadderLine) -> pb.EventLadderLine:
    """Return a line of the standings on a ladder."""
    return pb.EventLadderLine(
        entrant=_entrant(line.player.entrant),
        house=line.player.house,
        elo=line.elo,
        elo_low=line.interval[0],
        elo_high=line.interval[1],
        rank_low=line.rank_low,
        rank_high=line.rank_high,
        matches=line.matches,
    )


def standing(line: FinalLine) -> pb.EventStanding:
    """Return a line of the standings of a final."""
    return pb.EventStanding(
        place=line.place, entrant=_entrant(line.entrant), points=line.points, margin=line.margin
    )


def match(found: LadderMatch) -> pb.EventMatch:
    """Return a match."""
    return pb.EventMatch(
        match_id=found.match_id,
        block=found.block,
        ended_ms=milliseconds(found.ended_at),
        seats=[
            pb.EventSeat(entrant=_entrant(player.entrant), placing=placing)
            for player, placing in found.seats
        ],
        kept=found.kept,
    )


def _entrant(entrant: Entrant) -> transcript_pb2.Entrant:
    return transcript_pb2.Entrant(bot=entrant.bot, version=entrant.version, owner=entrant.owner)
