"""The protocol by which tournaments supply blocks to the director."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from arena.records import Block
from arena.scheduling.ladder import Candidate, TableType


@dataclass(eq=False, slots=True)
class Engagement:
    """A block to be played among given versions, possibly with interruptions.

    Unlike a block of the ladder it is not cut short when a bot is away or does not join: a losing
    bot could end it when it likes. It is returned to the agenda instead, and continued later.
    """

    table_type: TableType
    bots: tuple[int, ...]
    """Versions, in the order of the first match's seats."""
    block: Block
    tournament: str = ""
    """The name of the tournament."""
    left: list[int] = field(init=False)
    """Positions of the matches that have not been played, in order."""

    def __post_init__(self) -> None:
        self.left = list(range(self.block.size))


class EngagementEnd(Enum):
    """How playing an engagement ended, finished or interrupted."""

    COMPLETE = "complete"
    """All its matches are played and queued for storage."""
    INTERRUPTED = "interrupted"
    """A bot is away or did not join: the rest is still to be played."""
    BROKEN = "broken"
    """An error on our side: it is void."""


class Agenda(Protocol):
    """Engagements waiting for their bots. No method blocks or raises."""

    @property
    def wanted(self) -> Collection[int]:
        """The versions that engagements wait for; empty if none waits.

        What looking for one costs depends on these, and not on how many bots are connected.
        """
        ...

    def next_engagement(self, free: Sequence[Candidate]) -> Engagement | None:
        """Return an engagement to begin or continue now, with all its bots among the `free`.

        These are those of the wanted that are free.
        """
        ...

    def held(self, present: Sequence[Candidate]) -> Collection[int]:
        """Return the versions among the `present` that the ladder must not use.

        These are those of the wanted that are here: an engagement needs only a free place of theirs
        to begin.
        """
        ...

    def taken_up(self, block_id: str) -> Engagement | None:
        """Return the engagement of a block of an earlier referee that the director continues.

        None if its tournament is over.
        """
        ...

    def ended(self, engagement: Engagement, ending: EngagementEnd) -> None:
        """Report that an engagement from `next_engagement` ended or was interrupted."""
        ...
