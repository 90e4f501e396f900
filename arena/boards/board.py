"""The leaderboard of one ladder, computed from the log of its rated results.

The command line, the referee's registry and the dashboard all show what is computed here, so one
ladder has the same numbers everywhere. A board is updated with the new results only; the ratings
equal those of the log read from the start, to 1e-9 Elo. One more match costs a refit of less than
a millisecond. The intervals need a pass over the log, so the lines must not be computed more often
than `rest_seconds` allows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Protocol

import numpy as np

from arena.boards.luck_adjusted import LuckAdjusted, adjusted_by_version, luck_of_table
from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Anchor, Fit, fit
from arena.rating.elo import IntArray
from arena.rating.flags import Flag
from arena.rating.intervals import intervals
from arena.rating.ladder import Ladder, ladder
from arena.rating.luck_column import LuckColumn, LuckFit, luck_column, luck_fit
from arena.rating.methods import ScoreRule
from arena.rating.results import MatchColumns, MatchResult, Results
from arena.rating.win_share import WinCounts, WinShares
from arena.records import Registered, VersionId

ANCHORS: Final[Mapping[str, str]] = MappingProxyType(
    {"bluff": "honest", "bluff_you": "bluff_you_honest", "bloeff": "bloeff_honest"}
)
"""By game, the house bot whose Elo is fixed at CENTRE: of medium strength, and never changed."""

CENTRE: Final = 1500.0
"""Elo of the anchor; without an anchor, of the mean of all bots."""

TABLE_SIZES: Final = (range(2, 3), range(3, 5), range(5, 7), range(7, 11))
"""The numbers of seats that share a ladder; the skills that win differ more between the groups."""

REST_SECONDS: Final = 2.0
"""The shortest rest between two computations of a live board, for any number of viewers."""
REST_SHARE: Final = 10.0
"""The rest as a multiple of the computation's time, for a log of any length."""


def rest_seconds(took: float) -> float:
    """Seconds that a live board rests after a computation of `took` seconds."""
    return max(REST_SECONDS, REST_SHARE * took)


def table_sizes(seats: int) -> range:
    """The numbers of seats of the ladder that a table of `seats` belongs to."""
    return next((sizes for sizes in TABLE_SIZES if seats in sizes), range(seats, seats + 1))


class RatedRow(Protocol):
    """A rated result as read from the log; the sequences are by seat."""

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
    @property
    def luck(self) -> Sequence[float] | None: ...


@dataclass(frozen=True, slots=True)
class BoardLine:
    """One line of a leaderboard. Never show an Elo without its interval and its flags."""

    rank: int
    """From 1, in the order of Elo."""
    rank_low: int
    """The best rank that the results allow: 1 + the number of bots significantly above it."""
    rank_high: int
    """The worst: the number of bots that are not significantly below it."""
    version_id: VersionId
    bot: str
    version: str
    owner: str
    house: bool
    elo: float
    interval: tuple[float, float]
    """95 %, Elo: of the difference to the anchor; without an anchor, to the mean."""
    matches: int
    win_share: float
    """First places per match, 0 to 1; one shared by n bots is 1/n for each."""
    mean_placing: float
    """1 is best; tied bots get the mean of the places they share."""
    anchor: bool
    """Whether all other ratings are measured from this one."""
    flags: frozenset[Flag]
    """Reasons to doubt the rating; usually empty."""
    luck_adjusted: LuckAdjusted | None = None
    """None while too few of its matches, or of the anchor's, have measured luck."""


class Board:
    """One ladder's results: a game under fixed options, at one or several table sizes."""

    def __init__(self, game: str, score: ScoreRule = ScoreRule.PLACEMENT) -> None:
        self.game = game
        self.score = score
        self.sequence = 0
        """The sequence of the last result added: ask the log for the results after it."""
        self._results: Results[VersionId] = Results()
        self._aggregate: Aggregate[VersionId] = Aggregate(score)
        self._wins: WinCounts[VersionId] = WinCounts()
        self._sequences: list[int] = []
        self._blocks: dict[str, int] = {}
        self._fit: Fit[VersionId] | None = None
        self._ladder: Ladder[VersionId] | None = None
        self._luck_fit: LuckFit[VersionId] | None = None
        self._luck_column: LuckColumn[VersionId] | None = None

    def __len__(self) -> int:
        """The number of rated matches."""
        return len(self._results)

    def extend(self, rows: Iterable[RatedRow]) -> None:
        """Add the next results of the log; results it already has are ignored."""
        rows = [row for row in rows if row.sequence > self.sequence]
        if not rows:
            return
        if not len(self):
            # The whole log so far, perhaps 100,000 matches: columns take a fifth of the time.
            self._results = Results.of_tables(*self._columns(rows))
            self._aggregate = Aggregate.of(self._results, self.score)
            self._wins = WinCounts(self._results.bots)
            for table in self._results.tables:
                self._wins.add_table(table)
        else:
            for row in rows:
                seats = tuple(zip(row.version_ids, row.placings, strict=True))
                measured = luck_of_table([row.luck], len(seats))
                luck = None if measured is None else tuple(measured[0].tolist())
                match = MatchResult(row.match_id, seats, self._block(row), luck)
                self._results.append(match)
                self._aggregate.add(match)
                self._wins.add(match)
        self._sequences.extend(row.sequence for row in rows)
        self.sequence = rows[-1].sequence
        # The old fit remains the start of the next one; the ladder is out of date.
        self._ladder = None

    def _columns(self, rows: Sequence[RatedRow]) -> tuple[list[VersionId], list[MatchColumns]]:
        versions = list(dict.fromkeys(version for row in rows for version in row.version_ids))
        number = {version: index for index, version in enumerate(versions)}
        by_size: dict[int, list[int]] = {}
        for index, row in enumerate(rows):
            by_size.setdefault(len(row.version_ids), []).append(index)
        blocks = np.array([self._block(row) for row in rows], np.int64)
        return versions, [
            MatchColumns(
                np.array([[number[one] for one in rows[i].version_ids] for i in at], np.int32),
                np.array([rows[i].placings for i in at], np.int16),
                blocks[at],
                np.array(at, np.int64),
                luck_of_table([rows[i].luck for i in at], seats),
            )
            for seats, at in by_size.items()
        ]

    def _block(self, row: RatedRow) -> int:
        """The number by which the columns refer to the row's block."""
        return self._blocks.setdefault(row.block_id, len(self._blocks))

    def anchor(self, versions: Mapping[VersionId, Registered]) -> VersionId | None:
        """The version whose Elo is CENTRE; None while it has no match: the mean is CENTRE then."""
        name = ANCHORS.get(self.game)
        candidates = [
            version
            for version in self._results.bots
            if versions[version].house and versions[version].entrant.bot == name
        ]
        # Its first version; later ones are rated like other bots.
        return min(candidates, default=None)

    def fit(self, versions: Mapping[VersionId, Registered]) -> Fit[VersionId]:
        """The ratings without their errors; the last fit makes the next one cheap.

        Raises RatingError without a match.
        """
        anchor = self.anchor(versions)
        fixed = None if anchor is None else Anchor(anchor, CENTRE)
        self._fit = fit(self._aggregate, anchor=fixed, start=self._fit)
        return self._fit

    def ladder(self, versions: Mapping[VersionId, Registered]) -> Ladder[VersionId]:
        """One fit with its intervals, ranks and flags; without an anchor its mean is 0.

        An immutable value: later results do not change it. Raises RatingError without a match.
        """
        if self._ladder is None:
            self._ladder = ladder(intervals(self.fit(versions), self._results))
            official = self._ladder.intervals
            self._luck_fit = luck_fit(official.fit, self._aggregate, start=self._luck_fit)
            self._luck_column = None
            if self._luck_fit is not None:
                self._luck_column = luck_column(self._luck_fit, official, self._results)
        return self._ladder

    def log(self) -> tuple[Results[VersionId], IntArray]:
        """A copy of the results so far, and the number of the rating event of each (n,)."""
        return self._results.first(len(self)), np.array(self._sequences, np.int64)

    def win_shares(self) -> tuple[WinShares[VersionId], ...]:
        """First places by table size."""
        return self._wins.shares()

    def lines(self, versions: Mapping[VersionId, Registered]) -> list[BoardLine]:
        """The lines, best first, all from one fit.

        `versions` describes the ids in the results; read it after the results, so none is missing.
        """
        if not len(self):
            return []
        rated = self.ladder(versions)
        anchor = rated.intervals.fit.anchor
        shift = centre(rated)
        played = _played(self.win_shares())
        adjusted = adjusted_by_version(self._luck_column, shift)
        return [
            BoardLine(
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
                anchor is not None and rating.bot == anchor.bot,
                rating.flags,
                adjusted.get(rating.bot),
            )
            for rank, rating in enumerate(rated.ratings, start=1)
        ]


def centre(rated: Ladder[VersionId]) -> float:
    """The Elo to add where a ladder is shown: without an anchor, the mean becomes CENTRE."""
    return 0.0 if rated.intervals.fit.anchor is not None else CENTRE


def _names(registered: Registered) -> tuple[str, str, str]:
    entrant = registered.entrant
    return entrant.bot, entrant.version, entrant.owner


def _played(sizes: Sequence[WinShares[VersionId]]) -> dict[VersionId, tuple[float, float]]:
    """(win share, mean placing) of every version, over all table sizes of the ladder."""
    bots = sizes[0].bots
    matches, firsts, places = np.zeros((3, len(bots)))
    for size in sizes:
        matches += size.matches
        firsts += size.firsts
        places += np.where(size.matches > 0, size.matches * size.mean_placing, 0.0)
    shares, means = (firsts / matches).tolist(), (places / matches).tolist()
    return dict(zip(bots, zip(shares, means, strict=True), strict=True))
