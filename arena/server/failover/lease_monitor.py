"""`LeaseMonitor`: tells which of the other referees on a database are dead, seen from one of them.

One is dead if it has stopped in order, if its process has ended (on the same machine), or if its
`renewals` stand still for STILL_SECONDS by the watcher's own monotonic clock. Clocks of different
machines are never compared, so moving a clock changes nothing; time in which the watcher itself did
not look counts for nobody, because the database may have been away for all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row

from arena.database.process_identity import has_ended

STILL_SECONDS: Final = 2.0
"""A referee that stands still for so long is replaced."""
LOOK_SECONDS: Final = 1.0
"""The longest time between two looks for which somebody counts as standing still."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The others, by their epochs."""

    living: frozenset[int]
    dead: dict[int, int]
    """With the renewals at which each was last seen."""


class LeaseMonitor:
    """What one referee has seen of the others."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._looked = now()
        self._since: dict[int, tuple[int, float]] = {}
        """By epoch the renewals, and since when they have been that many."""

    def look(self, others: Sequence[Row[Any]]) -> Seen:
        """Take in the rows of the others."""
        now = self._now()
        blind = max(0.0, now - self._looked - LOOK_SECONDS)
        self._looked = now
        before, self._since = self._since, {}
        living, dead = set(), {}
        for row in others:
            renewals, since = before.get(row.epoch, (-1, now))
            since = since + blind if renewals == row.renewals else now
            self._since[row.epoch] = row.renewals, since
            still = now - since >= STILL_SECONDS
            if row.released_at is not None or still or has_ended(row.process):
                dead[row.epoch] = row.renewals
            else:
                living.add(row.epoch)
        return Seen(frozenset(living), dead)
