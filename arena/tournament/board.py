"""The leaderboard of one ladder: from the log of its rated results to its lines, best first.

The command line, the referee's registry and the dashboard all show what is computed here, so one
ladder has one set of numbers wherever it is looked at. A board grows with its log; what it says is
what the log read from the start would say, to the last digit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Protocol

import numpy as np

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Anchor, fit
from arena.rating.flags import Flag
from arena.rating.intervals import intervals
from arena.rating.ladder import ladder
from arena.rating.results import Match, Results, Table
from arena.rating.win_share import win_shares
from arena.tournament.ports import Registered, VersionId

ANCHORS: Final[Mapping[str, str]] = MappingProxyType({"bluff": "honest"})
"""By game, the house bot that stands at CENTRE: of middling strength, and frozen."""

CENTRE: Final = 1500.0
"""Elo of the anchor; without one, of the mean of all bots."""

TABLE_SIZES: Final = (range(2, 3), range(3, 5), range(5, 7), range(7, 11))
"""The numbers of seats that share a ladder: what it takes to win differs more between these."""


class RatedRow(Protocol):
    """A result that counts, as the log tells it; the sequences are by seat."""

    @property
    def sequence(self) -> int: ...
    @property
    def match_id(self) -> str: ...
    @property
    def block_id(self) -> str: ...
    @property
    def version_ids(self) -> Sequence[VersionId]: ...
    @property
    def placings(self) -> Sequence[int]: ...


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of a leaderboard. An Elo is never to be shown without what stands beside it."""

    rank: int
    """From 1, in the order of Elo."""
    rank_low: int
    """The best rank that the results allow: 1 + the bots told apart from it and above."""
    rank_high: int
    """The worst: all bots but those told apart from it and below."""
    version_id: VersionId
    bot: str
    version: str
    owner: str
    house: bool
    elo: float
    interval: tuple[float, float]
    """95 %, Elo: of the difference to the anchor; without one, of that to the mean."""
    matches: int
    win_share: float
    """First places by match, 0 to 1; one shared by n bots is 1/n for each."""
    mean_placing: float
    """1 is best; ties share the mean of the places they fill."""
    anchor: bool
    """Whether all other ratings are measured from this one."""
    flags: frozenset[Flag]
    """What to know before believing the rating; mostly nothing."""


class Board:
    """One ladder's results: a game under fixed options, at one or several table sizes."""

    def __init__(self, game: str) -> None:
        self.game = game
        self.sequence = 0
        """Of the last result taken in: ask the log for what comes after it."""
        self._results: Results[VersionId] = Results()
        self._aggregate: Aggregate[VersionId] = Aggregate()
        self._blocks: dict[str, int] = {}

    def __len__(self) -> int:
        """How many matches count."""
        return len(self._results)

    def extend(self, rows: Iterable[RatedRow]) -> None:
        """Take in the results that come next in the log."""
        rows = list(rows)
        if not rows:
            return
        if not len(self):
            # The whole log so far, perhaps 100,000 matches: as columns, a fifth of the time.
            self._results = Results.of_tables(*self._columns(rows))
            self._aggregate = Aggregate.of(self._results)
        else:
            for row in rows:
                seats = tuple(zip(row.version_ids, row.placings, strict=True))
                match = Match(row.match_id, seats, self._block(row))
                self._results.append(match)
                self._aggregate.add(match)
        self.sequence = rows[-1].sequence

    def _columns(self, rows: Sequence[RatedRow]) -> tuple[list[VersionId], list[Table]]:
        versions = list(dict.fromkeys(version for row in rows for version in row.version_ids))
        number = {version: index for index, version in enumerate(versions)}
        by_size: dict[int, list[int]] = {}
        for index, row in enumerate(rows):
            by_size.setdefault(len(row.version_ids), []).append(index)
        blocks = np.array([self._block(row) for row in rows], np.int64)
        return versions, [
            Table(
                np.array([[number[one] for one in rows[i].version_ids] for i in at], np.int32),
                np.array([rows[i].placings for i in at], np.int16),
                blocks[at],
                np.array(at, np.int64),
            )
            for at in by_size.values()
        ]

    def _block(self, row: RatedRow) -> int:
        """Blocks as the numbers that columns know them by."""
        return self._blocks.setdefault(row.block_id, len(self._blocks))

    def anchor(self, versions: Mapping[VersionId, Registered]) -> VersionId | None:
        """The version that stands at CENTRE; None while it has no match: the mean does then."""
        name = ANCHORS.get(self.game)
        candidates = [
            version
            for version in self._results.bots
            if versions[version].house and versions[version].entrant.bot == name
        ]
        # Its first version: later ones are other bots, and are measured like them.
        return min(candidates, default=None)

    def standings(self, versions: Mapping[VersionId, Registered]) -> list[Standing]:
        """The lines, best first.

        `versions` tells who the ids of the results are: read it after them, and none is missing.
        """
        if not len(self):
            return []
        anchor = self.anchor(versions)
        fitted = fit(self._aggregate, anchor=None if anchor is None else Anchor(anchor, CENTRE))
        rated = ladder(intervals(fitted, self._results)).ratings
        shift = CENTRE if anchor is None else 0.0
        played = _played(self._results)
        return [
            Standing(
                rank,
                rating.rank_low,
                rating.rank_high,
                rating.bot,
                *_names(versions[rating.bot]),
                versions[rating.bot].house,
                rating.elo + shift,
                (rating.interval[0] + shift, rating.interval[1] + shift),
                rating.matches,
                *played[rating.bot],
                rating.bot == anchor,
                rating.flags,
            )
            for rank, rating in enumerate(rated, start=1)
        ]


def _names(registered: Registered) -> tuple[str, str, str]:
    entrant = registered.entrant
    return entrant.bot, entrant.version, entrant.owner


def _played(results: Results[VersionId]) -> dict[VersionId, tuple[float, float]]:
    """(win share, mean placing) of every version, over all table sizes of the log."""
    matches, firsts, places = np.zeros((3, len(results.bots)))
    for size in win_shares(results):
        matches += size.matches
        firsts += size.firsts
        places += np.where(size.matches > 0, size.matches * size.mean_placing, 0.0)
    shares, means = (firsts / matches).tolist(), (places / matches).tolist()
    return dict(zip(results.bots, zip(shares, means, strict=True), strict=True))
