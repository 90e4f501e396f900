"""`BlockServices`: what the running blocks of a director share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from arena.hosting.agenda import EngagementEnd
from arena.hosting.connected_bots import ConnectedBot
from arena.hosting.journal import Journal
from arena.hosting.owed_seats import OwedSeats
from arena.hosting.ports import Timer
from arena.hosting.terms import Terms
from arena.match.transcript import Transcript
from arena.scheduling.ladder import TableType

if TYPE_CHECKING:
    from arena.hosting.block_run import BlockRun
    from arena.hosting.hosted_match import HostedMatch


@dataclass(frozen=True, slots=True)
class BlockServices:
    """What the blocks of a director share."""

    journal: Journal
    timer: Timer
    new_secret: Callable[[], bytes]
    write_down: Callable[[Transcript], bytes]
    terms: Terms
    wall_clock: Callable[[], datetime]
    missed: Callable[[ConnectedBot], None]
    """Called when a bot did not join, or forfeited by its faults."""
    declined: Callable[[ConnectedBot], None]
    """Called when a bot declined."""
    left: Callable[[ConnectedBot], None]
    """Called when a bot left a block after its first match, by declining or by not being there."""
    proved: Callable[[ConnectedBot], None]
    """Called when a bot on probation played a match to its end."""
    owed: OwedSeats
    showable: Callable[["HostedMatch", str], None]
    """Called when a match begins, with the name of its tournament or ""."""
    learn: Callable[[TableType, Sequence[int], Sequence[int]], None]
    """Called with the versions and placings by seat when a match of the ladder or of a tournament
    was played."""
    over: Callable[["BlockRun", EngagementEnd], None]
    """Called once for each block, at its end."""
