"""A running block and its matches as they are kept, so that another referee can go on with them."""

from dataclasses import dataclass
from datetime import datetime

from arena.games.game import Options
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.flow import Reply
from arena.match.transcript import Opening, Setup
from arena.records import Block, Registered


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a block: a version, and which of its connected copies."""

    registered: Registered
    instance: str


@dataclass(frozen=True, slots=True)
class RunningBlock:
    """A block that is being played, as it is kept."""

    block: Block
    places: tuple[Place, ...]
    """In the order of the first match's seats."""
    game: str
    options: Options
    engaged: bool
    """Whether a tournament asked for it."""
    time_control: TimeControl = DEFAULT_TIME_CONTROL


@dataclass(frozen=True, slots=True)
class BegunMatch:
    """A match that all seats have joined, as it is kept while it runs."""

    setup: Setup
    opening: Opening
    block_id: str
    position: int
    started_at: datetime


@dataclass(frozen=True, slots=True)
class NewReplies:
    """Replies of a running match that were accepted since those kept before."""

    match_id: str
    game: str
    first: int
    """How many replies of the match came before."""
    replies: tuple[tuple[int, Reply], ...]
    """(seat, reply) in the order in which they were accepted."""


@dataclass(frozen=True, slots=True)
class Unkept:
    """What is not kept yet of running blocks and matches."""

    blocks: tuple[RunningBlock, ...] = ()
    begun: tuple[BegunMatch, ...] = ()
    replies: tuple[NewReplies, ...] = ()
    over: tuple[str, ...] = ()
    """Ids of blocks that are over and were kept; those that ended in storage are gone already."""

    def __bool__(self) -> bool:
        return bool(self.blocks or self.begun or self.replies or self.over)


@dataclass(frozen=True, slots=True)
class KeptMatch:
    """A running match that an earlier referee left, with all replies that were kept."""

    begun: BegunMatch
    replies: tuple[tuple[int, Reply], ...]


@dataclass(frozen=True, slots=True)
class KeptBlock:
    """A running block that an earlier referee left."""

    running: RunningBlock
    recorded: frozenset[int]
    """Positions of the matches that are recorded."""
    matches: tuple[KeptMatch, ...]
    """The matches that were running, by position. Positions that are neither are to be played."""
