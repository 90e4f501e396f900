"""The leaderboard of one ladder, computed from the log of its rated results.

The command line, the referee's registry and the dashboard all show what is computed here, so one
ladder has the same numbers everywhere. A board is updated with the new results only; the ratings
equal those of the log read from the start, to 1e-9 Elo. It keeps sums instead of results: for
tables of two, neither its size nor its cost grows with the log; for larger tables it keeps a row
for each block and pair. With a thousand bots the lines take tenths of a second, so they must not be
computed more often than `rest_seconds` allows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.games import KITS
from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Anchor, Fit, fit
from arena.rating.cluster_sums import ClusterSums
from arena.rating.flags import Flag
from arena.rating.intervals import intervals
from arena.rating.ladder import Ladder, ladder
from arena.rating.luck_column import LuckColumn, LuckFit, luck_column, luck_fit
from arena.rating.methods import ScoreRule
from arena.rating.win_share import WinCounts, WinShares
from arena.records import Registered, VersionId
from arena.server.boards.fault_counts import FaultColumns, FaultCounts
from arena.server.boards.log_columns import LogColumns
from arena.server.boards.luck_adjusted import LuckAdjusted, adjusted_by_version

CENTRE: Final = 1500.0
"""The Elo of the anchor; without an anchor, the mean Elo of all bots."""

TABLE_SIZES: Final = (range(2, 3), range(3, 5), range(5, 7), range(7, 11))
"""The numbers of seats that share a ladder; the skills that win differ more between the groups."""

FEW_MATCHES: Final = 64
"""The number of new matches below which they are added one by one.

Adding them as columns costs the square of the number of bots.
"""

REST_SECONDS: Final = 2.0
"""The shortest rest between two computations of a live board, for any number of viewers."""
REST_SHARE: Final = 10.0
"""The rest as a multiple of the computation's time, for a log of any length."""


def rest_seconds(took: float) -> float:
    """Return the seconds that a live board rests after a computation of `took` seconds."""
    return max(REST_SECONDS, REST_SHARE * took)


def table_sizes(seats: int) -> range:
    """Return the numbers of seats of the ladder that a table of `seats` belongs to."""
    return next((sizes for sizes in TABLE_SIZES if seats in sizes), range(seats, seats + 1))


@dataclass(frozen=True, slots=True)
class BoardLine:
    """One line of a leaderboard. Never show an Elo without its interval and its flags."""

    rank: int
    """The rank from 1: established bots in the order of Elo, then provisional ones in theirs."""
    rank_low: int
    """The best rank that the results allow: 1 + the number of bots significantly above it."""
    rank_high: int
    """The worst rank: the number of bots that are not significantly below it."""
    version_id: VersionId
    bot: str
    version: str
    owner: str
    house: bool
    elo: float
    interval: tuple[float, float]
    """The 95 % interval in Elo of the difference to the anchor; without an anchor, to the mean."""
    matches: int
    win_share: float
    """First places per match, 0 to 1; one shared by n bots is 1/n for each."""
    mean_placing: float
    """The mean place; 1 is best, and tied bots get the mean of the places they share."""
    anchor: bool
    """Whether all other ratings are measured from this one."""
    flags: frozenset[Flag]
    """Reasons to doubt the rating; usually empty."""
    band: int
    """The band, from 0.

    A band starts with the first bot that is significantly below the best one of the band above it,
    and with the first provisional one.
    """
    luck_adjusted: LuckAdjusted | None = None
    """The luck-adjusted Elo; None while it or the anchor has too few matches with measured luck."""
    ranked: bool = True
    """Whether it is ranked; otherwise it is an old version by the policy (`RankingRule`).

    Its ranks are then those that it would have among the ranked ones.
    """

    @property
    def provisional(self) -> bool:
        """Whether too few blocks link it to the established bots for a rank among them."""
        return Flag.PROVISIONAL in self.flags


class Board:
    """One ladder's results: a game under fixed options, at one or several table sizes."""

    def __init__(self, game: str, score: ScoreRule = ScoreRule.PLACEMENT) -> None:
        self.game = game
        self.score = score
        self.sequence = 0
        """The sequence of the last result added: ask the log for the results after it."""
        self._matches = 0
        self.aggregate: Aggregate[VersionId] = Aggregate(score)
        """The counts behind the ratings, which grow with the board."""
        self._wins: WinCounts[VersionId] = WinCounts()
        self.clusters = ClusterSums(score)
        """The sums behind the intervals, which grow with the board; bots as in `aggregate`."""
        self._faults = FaultColumns()
        self._start: dict[VersionId, float] = {}
        """The ratings of the last fit, in nats, at which the next one starts."""
        self._luck_start: dict[VersionId, float] = {}
        """The luck-adjusted ratings of the last fit, likewise."""
        self._ladder: Ladder[VersionId] | None = None
        self.luck_column: LuckColumn[VersionId] | None = None
        """The luck-adjusted ratings of the last `ladder`; None if luck is not known well enough."""

    def __len__(self) -> int:
        """Return the number of rated matches."""
        return self._matches

    def extend(self, log: LogColumns) -> None:
        """Add the next results of the log; results that the board already has are ignored.

        `log` must hold whole blocks only.
        """
        log = log.after(self.sequence)
        if not len(log):
            return
        at = np.array([self.aggregate.index(version) for version in log.versions], np.int32)
        for version in self.aggregate.bots[len(self._wins.bots) :]:
            self._wins.index(version)
        tables = [replace(table, bots=at[table.bots]) for table in log.tables]
        if len(log) < FEW_MATCHES:
            for match in log.results().matches():
                self.aggregate.add(match)
                self._wins.add(match)
        else:
            for table in tables:
                self.aggregate.add_table(table)
                self._wins.add_table(table)
        self.clusters.add(tables)
        self._faults.add(at[log.troubled["bot"]], log.troubled)
        self._matches += len(log)
        self.sequence = int(log.sequences[-1])
        self._ladder = self.luck_column = None

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the board's whole content as arrays, to be stored; `of_arrays` reads it."""
        found: dict[str, NDArray[np.generic]] = {
            "ends": np.array([self.sequence, self._matches], np.int64),
            "versions": np.array(self.aggregate.bots, np.int64),
        }
        for name, start in (("start", self._start), ("luck_start", self._start | self._luck_start)):
            found[name] = np.array([start.get(bot, 0.0) for bot in self.aggregate.bots])
        found |= self.aggregate.arrays() | self._wins.arrays() | self.clusters.arrays()
        return found | self._faults.arrays()

    @classmethod
    def of_arrays(
        cls, game: str, score: ScoreRule, arrays: Mapping[str, NDArray[np.generic]]
    ) -> "Board":
        """Return the board of `arrays`."""
        found = cls(game, score)
        found.sequence, found._matches = arrays["ends"].astype(np.int64).tolist()
        versions = [VersionId(one) for one in arrays["versions"].astype(np.int64).tolist()]
        found.aggregate = Aggregate.of_arrays(score, versions, arrays)
        found._wins = WinCounts.of_arrays(versions, arrays)
        found.clusters = ClusterSums.of_arrays(score, arrays)
        found._faults = FaultColumns.of_array(arrays["troubles"])
        found._start, found._luck_start = (
            dict(zip(versions, arrays[name].astype(np.float64).tolist(), strict=True))
            for name in ("start", "luck_start")
        )
        return found

    def anchor(self, versions: Mapping[VersionId, Registered]) -> VersionId | None:
        """Return the version whose Elo is CENTRE.

        Returns None while it has no match; then the mean is CENTRE.
        """
        return anchor_among(
            self.game, {version: versions[version] for version in self.aggregate.bots}
        )

    def fit(
        self, versions: Mapping[VersionId, Registered]
    ) -> tuple[Fit[VersionId], LuckFit[VersionId] | None]:
        """Return the ratings without their errors, and the luck-adjusted ones.

        The latter are None if luck is not known well enough. The last fits make the next ones
        cheap. Raises RatingError without a match.
        """
        anchor = self.anchor(versions)
        fixed = None if anchor is None else Anchor(anchor, CENTRE)
        official = fit(self.aggregate, anchor=fixed, start=self._start)
        self._start = official.nats()
        adjusted = luck_fit(official, self.aggregate, start=self._luck_start)
        if adjusted is not None:
            self._luck_start = adjusted.fit.nats()
        return official, adjusted

    def ladder(self, versions: Mapping[VersionId, Registered]) -> Ladder[VersionId]:
        """Return one fit with its intervals, ranks and flags; without an anchor its mean is 0.

        It is an immutable value: later results do not change it. Raises RatingError without a
        match.
        """
        if self._ladder is None:
            official, adjusted = self.fit(versions)
            measured = intervals(official, self.clusters)
            if adjusted is not None:
                self.luck_column = luck_column(adjusted, measured, self.clusters)
            self._ladder = ladder(measured)
        return self._ladder

    def faults(self) -> dict[VersionId, FaultCounts]:
        """Return the faults and forfeits of the versions that had any."""
        return self._faults.by_version(self.aggregate.bots)

    def win_shares(self) -> tuple[WinShares[VersionId], ...]:
        """Return the first places by table size."""
        return self._wins.shares()

    def lines(self, versions: Mapping[VersionId, Registered]) -> list[BoardLine]:
        """Return the lines by rank, all from one fit.

        `versions` describes the ids in the results; read it after the results, so none is missing.
        """
        if not len(self):
            return []
        rated = self.ladder(versions)
        anchor = rated.intervals.fit.anchor
        shift = centre(rated)
        played = _played(self.win_shares())
        adjusted = adjusted_by_version(self.luck_column, shift)
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
                rating.band,
                adjusted.get(rating.bot),
            )
            for rank, rating in enumerate(rated.ratings, start=1)
        ]


def anchor_among(game: str, versions: Mapping[VersionId, Registered]) -> VersionId | None:
    """Return the version of a game's anchor among versions with a match; None without one.

    It is its first version; later ones are rated like other bots.
    """
    kit = KITS.get(game)  # None for a game of a newer release
    name = None if kit is None else kit.anchor
    anchors = (
        version for version, one in versions.items() if one.house and one.entrant.bot == name
    )
    return min(anchors, default=None)


def centre(rated: Ladder[VersionId]) -> float:
    """Return the Elo to add for display: without an anchor, the mean becomes CENTRE."""
    return 0.0 if rated.intervals.fit.anchor is not None else CENTRE


def _names(registered: Registered) -> tuple[str, str, str]:
    entrant = registered.entrant
    return entrant.bot, entrant.version, entrant.owner


def _played(sizes: Sequence[WinShares[VersionId]]) -> dict[VersionId, tuple[float, float]]:
    """Return each version's (win share, mean placing) over all table sizes of the ladder."""
    bots = sizes[0].bots
    matches, firsts, places = np.zeros((3, len(bots)))
    for size in sizes:
        matches += size.matches
        firsts += size.firsts
        places += np.where(size.matches > 0, size.matches * size.mean_placing, 0.0)
    shares, means = (firsts / matches).tolist(), (places / matches).tolist()
    return dict(zip(bots, zip(shares, means, strict=True), strict=True))
