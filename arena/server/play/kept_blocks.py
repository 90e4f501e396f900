"""Running blocks and matches as they are kept, so that another referee can continue them."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from arena.games.game import Options
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.flow import Reply
from arena.match.notes import Note
from arena.match.transcript import Opening, Setup
from arena.records import Block, Registered


@dataclass(frozen=True, slots=True)
class Place:
    """The holder of a place in a block: a version, and which of its connected copies."""

    registered: Registered
    instance: str


@dataclass(frozen=True, slots=True)
class RunningBlock:
    """The kept form of a block that is being played."""

    block: Block
    places: tuple[Place, ...]
    """The places, in the order of the first match's seats."""
    game: str
    options: Options
    engaged: bool
    """Whether a tournament asked for the block."""
    time_control: TimeControl = DEFAULT_TIME_CONTROL


@dataclass(frozen=True, slots=True)
class BegunMatch:
    """The kept form of a running match, which all seats have joined."""

    setup: Setup
    opening: Opening
    block_id: str
    position: int
    started_at: datetime


class NewReplies(NamedTuple):
    """The replies of a running match that were accepted since it was last kept."""

    match_id: str
    game: str
    first: int
    """The number of earlier replies of the match."""
    replies: tuple[tuple[int, Reply], ...]
    """Pairs of seat and reply, in the order in which they were accepted."""
    notes: tuple[Note, ...] = ()
    """The notes sent with these replies."""


@dataclass(frozen=True, slots=True)
class Unkept:
    """The parts of running blocks and matches that are not kept yet."""

    blocks: tuple[RunningBlock, ...] = ()
    begun: tuple[BegunMatch, ...] = ()
    replies: tuple[NewReplies, ...] = ()
    over: tuple[str, ...] = ()
    """The ids of kept blocks that are over; storage may have removed some already."""

    def __bool__(self) -> bool:
        return bool(self.blocks or self.begun or self.replies or self.over)


@dataclass(frozen=True, slots=True)
class KeptMatch:
    """A running match of an earlier referee, with all replies that were kept."""

    begun: BegunMatch
    replies: tuple[tuple[int, Reply], ...]
    notes: tuple[Note, ...] = ()
    """The notes sent with these replies."""


@dataclass(frozen=True, slots=True)
class KeptBlock:
    """A running block of an earlier referee."""

    running: RunningBlock
    recorded: frozenset[int]
    """The positions of the recorded matches."""
    matches: tuple[KeptMatch, ...]
    """The matches that were running, by position.

    Positions that are neither recorded nor here are still to be played.
    """
