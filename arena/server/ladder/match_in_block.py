"""`MatchInBlock`: a match of a block: its position, its bots by seat, and when it began."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from arena.match.flow import Refused
from arena.match.notes import NotesTaken
from arena.match.transcript import Transcript
from arena.records import Block, FinishedMatch, ToldFault
from arena.server.failover.match_snapshots import MatchSnapshot
from arena.server.ladder.connected_bots import ConnectedBot


@dataclass(eq=False, slots=True)
class MatchInBlock:
    """A match of a block that is offered or being played."""

    position: int
    bots: list[ConnectedBot]
    """The bots by seat."""
    started_at: datetime
    clock_shows: datetime
    """The wall-clock time at `began`; later than `started_at` for an adopted match."""
    began: float
    """When it began, in seconds on the monotonic clock."""
    snapshot: MatchSnapshot | None = None
    """The snapshot of the match, from the moment that all bots have joined."""

    notes: NotesTaken = field(default_factory=NotesTaken)
    """What the bots have noted so far."""

    def finished(
        self,
        transcript: Transcript,
        written: bytes,
        block: Block,
        now: float,
        refused: Sequence[Refused],
    ) -> FinishedMatch:
        """Return the record of the match, which ends at `now` on the monotonic clock."""
        # Not by the wall clock: it may have been set, even to a time before the start.
        lasted = timedelta(seconds=now - self.began)
        participants = [bot.participant for bot in self.bots]
        instances = tuple([one.instance for one in participants])
        return FinishedMatch(
            transcript=transcript,
            written=written,
            version_ids=tuple([one.registered.version_id for one in participants]),
            block=block,
            position=self.position,
            started_at=self.started_at,
            finished_at=self.clock_shows + lasted,
            instances=instances if any(instances) else (),
            faults=_told(transcript, refused) if refused else (),
            notes=tuple(self.notes.notes),
        )


def _told(transcript: Transcript, refused: Sequence[Refused]) -> tuple[ToldFault, ...]:
    game = transcript.setup.make_game()
    return tuple(ToldFault.of(game, one) for one in refused)
