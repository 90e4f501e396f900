"""Context for the ratings of a ladder: head-to-head results, residuals, Nash weights.

An equilibrium bot can beat every other and still be rated below a bot that exploits weak ones. The
head-to-head results, the pair that the ratings explain worst and the Nash weights show this. All of
it comes from the fit that the ladder shows; none of it affects the ladder's order.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from arena.rating.confidence_sequence import confidence_sequence
from arena.rating.dominance import Dominance, dominance
from arena.rating.head_to_head import HeadToHead, Residual, head_to_head, in_order, worst_residual
from arena.rating.ladder import Ladder
from arena.rating.nash import nash_average
from arena.rating.win_share import WinShares
from arena.records import VersionId
from arena.server.boards.board import BoardLine


@dataclass(frozen=True, slots=True)
class Meetings:
    """The results of one bot against another."""

    wins: int
    ties: int
    losses: int
    share: float
    """The points per comparison; a tie is half a point."""
    low: float
    high: float
    """The ends, with `low`, of the share's 95 % Wilson interval."""

    @property
    def sequence(self) -> tuple[float, float]:
        """The 95 % confidence sequence of the share, which holds however often one looks."""
        count = self.wins + self.ties + self.losses
        return confidence_sequence(self.wins + self.ties / 2, count)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Comparisons in one ladder at one moment. The sequences follow `bots`, by rank."""

    bots: tuple[VersionId, ...]
    matrix: HeadToHead[VersionId]
    """The head-to-head results, with 95 % Wilson intervals."""
    worst: Residual[VersionId] | None
    """The pair with about 20 meetings or more that the ratings explain worst; None without one."""
    nash_weight: tuple[float, ...]
    """Each bot's weight in the maximum-entropy equilibrium, 0 to 1. Small changes make it jump."""
    nash_value: tuple[float, ...]
    """Each bot's expected advantage over that equilibrium, in Elo.

    It is 0 for the equilibrium's members and less for the rest.
    """
    dominance: Dominance[VersionId]
    """Who beats whom for certain."""

    def met(self, at: int, other: int) -> Meetings | None:
        """Return the results of the bot at index `at` against the one at `other`.

        Returns None if they never met.
        """
        matrix = self.matrix
        wins, ties, losses = (
            int(counts[at, other]) for counts in (matrix.wins, matrix.ties, matrix.losses)
        )
        if not wins + ties + losses:
            return None
        share, low, high = (
            float(values[at, other]) for values in (matrix.share, matrix.low, matrix.high)
        )
        return Meetings(wins, ties, losses, share, low, high)


@dataclass(frozen=True, slots=True)
class WinCell:
    """A bot's first places at one table size."""

    seats: int
    matches: int
    share: float
    """First places per match; one shared by n bots is 1/n. 1/seats is average."""
    interval: tuple[float, float]
    """The 95 % Wilson interval of the share."""
    mean_placing: float


@dataclass(frozen=True, slots=True)
class AcrossTables:
    """A bot's results on all ladders of one game and options; these differ in table size."""

    version_id: VersionId
    elo: tuple[tuple[range, float], ...]
    """The bot's Elo on each ladder that it has played on, by the ladder's table sizes."""
    wins: tuple[WinCell, ...]

    @property
    def mean_elo(self) -> float:
        """The mean over the ladders it has played on. It is not a rating: no match measures it."""
        return fmean(elo for _, elo in self.elo)


def comparisons(rated: Ladder[VersionId]) -> Comparisons:
    """Return the comparisons of a ladder. The Nash average takes about 30 ms for 100 bots."""
    fitted = rated.intervals.fit
    bots = tuple(rating.bot for rating in rated.ratings)
    nash = nash_average(fitted)
    at = [fitted.bots.index(bot) for bot in bots]
    matrix = in_order(head_to_head(fitted), bots)
    return Comparisons(
        bots,
        matrix,
        worst_residual(fitted),
        tuple(nash.weight[at].tolist()),
        tuple(nash.value[at].tolist()),
        dominance(matrix),
    )


def across_tables(
    ladders: Iterable[tuple[range, Sequence[BoardLine], Sequence[WinShares[VersionId]]]],
) -> dict[VersionId, AcrossTables]:
    """Return each bot's results on ladders that differ only in table size; the Elo is as shown."""
    elo: dict[VersionId, list[tuple[range, float]]] = {}
    wins: dict[VersionId, list[WinCell]] = {}
    for sizes, lines, shares in ladders:
        for line in lines:
            elo.setdefault(line.version_id, []).append((sizes, line.elo))
        for bot, cell in _win_cells(shares):
            wins.setdefault(bot, []).append(cell)
    return {bot: AcrossTables(bot, tuple(found), tuple(wins[bot])) for bot, found in elo.items()}


def _win_cells(shares: Sequence[WinShares[VersionId]]) -> Iterator[tuple[VersionId, WinCell]]:
    """Yield each bot with its first places at each table size that it has played."""
    for size in shares:
        columns = (size.matches, size.share, size.low, size.high, size.mean_placing)
        rows = zip(size.bots, *(column.tolist() for column in columns), strict=True)
        for bot, matches, share, low, high, placing in rows:
            if matches:
                yield bot, WinCell(size.seats, matches, share, (low, high), placing)
