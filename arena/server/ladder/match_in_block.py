"""`MatchInBlock`: a match of a block: its position there, who sits where, and when it began."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from arena.match.flow import Refused
from arena.match.transcript import Transcript
from arena.records import Block, FinishedMatch, ToldFault
from arena.server.failover.match_snapshots import MatchNotes
from arena.server.ladder.connected_bots import ConnectedBot


@dataclass(eq=False, slots=True)
class MatchInBlock:
    """One that is offered or played."""

    position: int
    bots: list[ConnectedBot]
    """By seat."""
    started_at: datetime
    clock_shows: datetime
    """What the wall clock showed at `began`; later than `started_at` for an adopted match."""
    began: float
    """When it began, on the monotonic clock."""
    notes: MatchNotes | None = None
    """What is kept of it, from the moment that all have joined."""

    def finished(
        self,
        transcript: Transcript,
        written: bytes,
        block: Block,
        now: float,
        refused: Sequence[Refused],
    ) -> FinishedMatch:
        """Return what is to be recorded of it; `now` is on the clock that nobody moves."""
        # Not by the wall clock: it may have been moved, before the start even.
        lasted = timedelta(seconds=now - self.began)
        instances = tuple(bot.participant.instance for bot in self.bots)
        return FinishedMatch(
            transcript=transcript,
            written=written,
            version_ids=tuple(bot.participant.registered.version_id for bot in self.bots),
            block=block,
            position=self.position,
            started_at=self.started_at,
            finished_at=self.clock_shows + lasted,
            instances=instances if any(instances) else (),
            faults=_told(transcript, refused) if refused else (),
        )


def _told(transcript: Transcript, refused: Sequence[Refused]) -> tuple[ToldFault, ...]:
    game = transcript.setup.make_game()
    return tuple(ToldFault.of(game, one) for one in refused)
