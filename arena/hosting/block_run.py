"""A block under way: who sits in it, and which of its matches are played or still to be played."""

from dataclasses import dataclass, field

from arena.hosting.agenda import Engagement
from arena.hosting.connected_bots import ConnectedBot
from arena.hosting.hosted_match import HostedMatch
from arena.match.seating import rotations
from arena.records import Block, Place, RunningBlock
from arena.scheduling.ladder import Candidate, TableType


@dataclass(eq=False, slots=True)
class BlockRun:
    """The director's view of a block. Its matches are played one after the other; after a restart
    of the referee two may run at once, where the first had ended but was not recorded."""

    ladder: TableType
    guests: tuple[ConnectedBot, ...]
    """In the order of the first match's seats."""
    block: Block
    left: list[int]
    """Positions of the matches that have not begun, in order."""
    engagement: Engagement | None = None
    """None for a block of the ladder."""
    engaged: bool = False
    """Whether a tournament asked for it, be it one that is over by now."""
    playing: dict[int, HostedMatch] = field(default_factory=dict)
    """Matches that are offered or run, by position."""
    awaited_until: float = 0.0
    """Until when bots that are not back after a restart of the referee are waited for."""

    @property
    def begun(self) -> bool:
        """Whether a match of it was played or is asked for, so that storage may know of it."""
        return len(self.left) + len(self.playing) < self.block.size or self.engaged

    @property
    def candidates(self) -> list[Candidate]:
        return [guest.candidate for guest in self.guests]

    def seats(self, position: int) -> list[ConnectedBot]:
        """Who sits where in the match of this position."""
        order = list(rotations(self.ladder.seats))[position]
        return [self.guests[index] for index in order]

    def kept(self) -> RunningBlock:
        """What another referee would need to go on with it."""
        return RunningBlock(
            self.block,
            tuple(
                Place(guest.participant.registered, guest.participant.instance)
                for guest in self.guests
            ),
            self.ladder.game,
            self.ladder.options,
            self.engaged,
        )
