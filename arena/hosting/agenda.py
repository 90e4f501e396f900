"""Blocks that go before the ladder's: what a director asks for, and tells about."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from arena.records import Block
from arena.scheduling.ladder import Candidate, TableType


@dataclass(eq=False, slots=True)
class Engagement:
    """A block to be played among named versions, perhaps in several goes.

    Unlike a block of the ladder it is not cut short when a bot is away, or does not join: who loses
    could end it at a moment of its choice. It is given back instead, and played on later.
    """

    ladder: TableType
    bots: tuple[int, ...]
    """Versions, in the order of the first match's seats."""
    block: Block
    left: list[int] = field(init=False)
    """Positions of its matches that have not been played."""

    def __post_init__(self) -> None:
        self.left = list(range(self.block.size))


class EngagementEnd(Enum):
    """How a go at an engagement ended."""

    COMPLETE = "complete"
    """All its matches are on their way into storage."""
    INTERRUPTED = "interrupted"
    """A bot is away or did not join: the rest is still to be played."""
    BROKEN = "broken"
    """We broke it: it is void."""


class Agenda(Protocol):
    """Engagements waiting for their bots. Nothing here waits or fails."""

    @property
    def wanting(self) -> bool:
        """Whether it is worth asking: something waits for its bots."""
        ...

    def next_engagement(self, free: Sequence[Candidate]) -> Engagement | None:
        """One to begin, or to go on with, now, all of whose bots are among the `free`."""
        ...

    def held(self, present: Sequence[Candidate]) -> Collection[int]:
        """The versions among the `present` that the ladder shall leave alone, because an engagement
        waits for nothing but a free place of theirs."""
        ...

    def taken_up(self, block_id: str) -> Engagement | None:
        """The engagement that an earlier referee was playing; it counts as handed out. None if it
        is wanted no more."""
        ...

    def ended(self, engagement: Engagement, ending: EngagementEnd) -> None:
        """An engagement that was handed out is over for now."""
        ...
