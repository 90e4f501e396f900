"""The protocol by which tournaments and ladders of events supply blocks to the director."""

from collections import Counter
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
    away: Counter[int] = field(init=False, default_factory=Counter)
    """How often versions did not take their seats since a match of it last began."""

    def __post_init__(self) -> None:
        self.left = list(range(self.block.size))


class EngagementEnd(Enum):
    """How an engagement ended: finished, interrupted or void."""

    COMPLETE = "complete"
    """All its matches are played and queued for storage."""
    INTERRUPTED = "interrupted"
    """A bot is away or did not join: the rest is still to be played."""
    BROKEN = "broken"
    """The referee failed: the engagement is void."""


class Agenda(Protocol):
    """Engagements waiting for their bots. No method blocks or raises."""

    @property
    def wanted(self) -> Collection[int]:
        """The versions that engagements wait for; empty if none waits.

        The cost of looking for an engagement depends on these, not on the number of connected bots.
        """
        ...

    def next_engagement(self, free: Sequence[Candidate]) -> Engagement | None:
        """Return an engagement to begin or continue now, or None if there is none.

        All its bots are among `free`, the wanted versions that have a free place.
        """
        ...

    def held(self, present: Sequence[Candidate]) -> Collection[int]:
        """Return the versions that the ladder must not use because an engagement waits for them.

        `present` are the wanted versions that are connected. A version is held if an engagement
        needs only a free place of it to begin.
        """
        ...

    def taken_up(self, block_id: str) -> Engagement | None:
        """Return the engagement of an earlier referee's block, which the director continues.

        Returns None if its tournament is over.
        """
        ...

    def ended(self, engagement: Engagement, ending: EngagementEnd) -> None:
        """Report that an engagement from `next_engagement` ended or was interrupted."""
        ...


class Agendas:
    """Several agendas as one; blocks of the first come first."""

    def __init__(self, *agendas: Agenda) -> None:
        self._agendas = agendas
        self._of: dict[Engagement, Agenda] = {}

    @property
    def wanted(self) -> Collection[int]:
        """The versions that the engagements of any agenda wait for."""
        return set().union(*(one.wanted for one in self._agendas))

    def next_engagement(self, free: Sequence[Candidate]) -> Engagement | None:
        """Return an engagement of the first agenda that has one."""
        for one in self._agendas:
            found = one.next_engagement(free)
            if found is not None:
                self._of[found] = one
                return found
        return None

    def held(self, present: Sequence[Candidate]) -> Collection[int]:
        """Return the versions that any agenda holds."""
        return set().union(*(one.held(present) for one in self._agendas))

    def taken_up(self, block_id: str) -> Engagement | None:
        """Return the engagement of the agenda that knows an earlier referee's block."""
        for one in self._agendas:
            found = one.taken_up(block_id)
            if found is not None:
                self._of[found] = one
                return found
        return None

    def ended(self, engagement: Engagement, ending: EngagementEnd) -> None:
        """Report the end of an engagement to the agenda that it came from."""
        self._of.pop(engagement).ended(engagement, ending)
