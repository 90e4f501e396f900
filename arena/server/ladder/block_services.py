"""`BlockServices`: the services and callbacks that all running blocks of a director share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from arena.match.transcript import Transcript
from arena.scheduling.ladder import TableType
from arena.server.failover.result_writer import ResultWriter
from arena.server.ladder.agenda import EngagementEnd
from arena.server.ladder.connected_bots import ConnectedBot
from arena.server.ladder.owed_seats import OwedSeats
from arena.server.play.ports import Timer
from arena.server.play.terms import Terms

if TYPE_CHECKING:
    from arena.server.ladder.block_run import BlockRun
    from arena.server.play.hosted_match import HostedMatch


@dataclass(frozen=True, slots=True)
class BlockServices:
    """The services and callbacks that all running blocks of a director share."""

    writer: ResultWriter
    timer: Timer
    new_secret: Callable[[], bytes]
    write_down: Callable[[Transcript], bytes]
    terms: Terms
    wall_clock: Callable[[], datetime]
    missed: Callable[[ConnectedBot], None]
    """Called when a bot did not join, or forfeited because of its faults."""
    unanswered: Callable[[ConnectedBot], None]
    """Called when a bot neither joined nor declined."""
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
    """Called with versions and placings by seat after each match of the ladder or a tournament."""
    over: Callable[["BlockRun", EngagementEnd], None]
    """Called once for each block, when it ends."""
