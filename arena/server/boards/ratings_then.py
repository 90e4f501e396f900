"""The ratings of the time before a match, for exports that read the matches of all ladders.

A ladder's log is read once, when its first match is asked for, and fitted after its first 10, 20, …
results and then whenever it has grown by a fiftieth: a rating is that of the last such fit before
the match, so that no result of the match, or of a later one, is in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.database.reading import ColumnReader
from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Anchor, fit
from arena.rating.elo import IntArray
from arena.rating.ladder_id import LadderId
from arena.records import VersionId
from arena.server.boards.board import CENTRE, anchor_among
from arena.server.boards.ladder_log import read_log, registered

FEWEST: Final = 10
"""The least number of results between two fits."""
_GROWTH: Final = 50


@dataclass(slots=True)
class _Points:
    """The fits of a ladder."""

    at: Mapping[VersionId, int]
    """The place of each version in the ratings."""
    events: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    """(n,): the last rating event in each fit, ascending."""
    elo: list[NDArray[np.float32]] = field(default_factory=list)
    """For each fit, the Elo of all versions in the log; NaN for those without a match by then."""
    last: int = 0
    """The last rating event that was asked for."""


class RatingsThen:
    """The ratings of all ladders at any time. Every method raises StorageError."""

    def __init__(self, read: ColumnReader) -> None:
        self._read = read
        self._ladders: dict[LadderId, _Points] = {}

    def before(
        self, ladder: LadderId, event: int | None, versions: Sequence[VersionId]
    ) -> list[float | None]:
        """Return the Elo of each version before a match; None for one without a rating then.

        Args:
            ladder: The ladder of the match.
            event: The match's rating event; None for a match that does not count, which is taken to
                be at the last event asked for.
            versions: The versions at the table.
        """
        points = self._ladders.get(ladder)
        if points is None:
            points = self._ladders[ladder] = self._fitted(ladder)
        if event is not None:
            points.last = event
        index = int(np.searchsorted(points.events, points.last)) - 1
        if index < 0:
            return [None] * len(versions)
        found = [
            float(points.elo[index][points.at[one]]) if one in points.at else np.nan
            for one in versions
        ]
        return [None if np.isnan(elo) else elo for elo in found]

    def _fitted(self, ladder: LadderId) -> _Points:
        log = read_log(self._read, ladder, lucky=False)
        at = {version: number for number, version in enumerate(log.versions)}
        found = _Points(at)
        anchor = anchor_among(ladder.game, registered(self._read, log.versions))
        running: Aggregate[VersionId] = Aggregate(ladder.score, log.versions)
        start: Mapping[VersionId, float] = {}
        events: list[int] = []
        before = 0
        for end in _ends(len(log)):
            for table in log.tables:
                first, last = np.searchsorted(table.numbers, (before, end))
                running.add_table(table.rows(slice(int(first), int(last))))
            before = end
            if anchor is not None and not running.matches[at[anchor]]:
                continue
            fixed = None if anchor is None else Anchor(anchor, CENTRE)
            latest = fit(running, anchor=fixed, start=start)
            start = latest.nats()
            elo = np.full(len(at), np.nan, np.float32)
            elo[[at[version] for version in latest.bots]] = latest.elo
            found.elo.append(elo if anchor is not None else elo + np.float32(CENTRE))
            events.append(int(log.sequences[end - 1]))
        found.events = np.array(events, np.int64)
        return found


def _ends(results: int) -> list[int]:
    """Return the numbers of results after which there is a fit."""
    ends: list[int] = []
    end = FEWEST
    while end <= results:
        ends.append(end)
        end += max(FEWEST, end // _GROWTH)
    return ends
