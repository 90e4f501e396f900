"""`LeaseMonitor`, which finds out which other referees on a database are dead.

A referee is dead if it has stopped in order, if its process has ended (on the same machine), or if
its `renewals` stand still for STILL_SECONDS by the watcher's own monotonic clock. Clocks of
different machines are never compared, so moving a clock changes nothing. Time in which the watcher
itself did not look does not count, because all referees may have lost the database then.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row

from arena.database.process_identity import has_ended

STILL_SECONDS: Final = 2.0
"""How long a referee's `renewals` must be unchanged for it to be replaced."""
LOOK_SECONDS: Final = 1.0
"""The most of the time between two looks that counts towards STILL_SECONDS."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The other referees, by their epochs."""

    living: frozenset[int]
    dead: dict[int, int]
    """The dead referees, with the renewals at which each was last seen."""


class LeaseMonitor:
    """The observations that one referee has made of the others."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._looked = now()
        self._since: dict[int, tuple[int, float]] = {}
        """The renewals by epoch, and since when they have been unchanged."""

    def look(self, others: Sequence[Row[Any]]) -> Seen:
        """Compare the rows of the others with the last ones; return which are alive and dead."""
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
