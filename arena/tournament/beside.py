"""What stands beside the Elo of a ladder, for it is never shown alone.

An equilibrium bot can beat everyone and still stand below a bot that farms the weak: who beat whom,
which pair the ratings explain worst, and what each bot weighs in the Nash average let a reader see
it. All of it comes from the fit that the ladder shows, and none of it sorts the ladder.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from arena.rating.head_to_head import (
    HeadToHead,
    Residual,
    head_to_head,
    in_order,
    worst_residual,
)
from arena.rating.ladder import Ladder
from arena.rating.nash import nash_average
from arena.tournament.board import Board, centre
from arena.tournament.ports import Registered, VersionId


@dataclass(frozen=True, slots=True)
class Beside:
    """One ladder at one moment. The sequences follow `bots`, the ladder's order, best first."""

    bots: tuple[VersionId, ...]
    matrix: HeadToHead[VersionId]
    """Who beat whom, with 95 % Wilson intervals."""
    worst: Residual[VersionId] | None
    """The pair of some 20 meetings that the ratings explain worst; None without such a pair."""
    nash_weight: tuple[float, ...]
    """What each bot weighs in the maximum-entropy equilibrium, 0 to 1. It jumps with little."""
    nash_value: tuple[float, ...]
    """Its expected advantage over that equilibrium, Elo: 0 for its members, less for the rest."""


@dataclass(frozen=True, slots=True)
class WinCell:
    """A bot's first places at one table size."""

    seats: int
    matches: int
    share: float
    """First places by match, one shared by n bots being 1/n; 1/seats is average."""
    interval: tuple[float, float]
    """95 %, Wilson."""
    mean_placing: float


@dataclass(frozen=True, slots=True)
class Across:
    """A bot over all ladders of one game and options, which differ in their table sizes."""

    version_id: VersionId
    elo: tuple[tuple[range, float], ...]
    """Its Elo on each ladder that it has played on."""
    wins: tuple[WinCell, ...]

    @property
    def mean_elo(self) -> float:
        """The plain mean over the ladders it has played on. It is no rating: nobody plays that."""
        return fmean(elo for _, elo in self.elo)


def beside(rated: Ladder[VersionId]) -> Beside:
    """What stands beside a ladder. The Nash average takes some 30 ms for 100 bots."""
    fitted = rated.intervals.fit
    bots = tuple(rating.bot for rating in rated.ratings)
    nash = nash_average(fitted)
    at = [fitted.bots.index(bot) for bot in bots]
    return Beside(
        bots,
        in_order(head_to_head(fitted), bots),
        worst_residual(fitted),
        tuple(nash.weight[at].tolist()),
        tuple(nash.value[at].tolist()),
    )


def across(
    boards: Sequence[tuple[range, Board]], versions: Mapping[VersionId, Registered]
) -> dict[VersionId, Across]:
    """Every bot over ladders that differ in nothing but their table sizes."""
    elo: dict[VersionId, list[tuple[range, float]]] = {}
    wins: dict[VersionId, list[WinCell]] = {}
    for sizes, board in boards:
        if not len(board):
            continue
        rated = board.ladder(versions)
        for rating in rated.ratings:
            elo.setdefault(rating.bot, []).append((sizes, rating.elo + centre(rated)))
        for bot, cell in win_cells(board):
            wins.setdefault(bot, []).append(cell)
    return {bot: Across(bot, tuple(found), tuple(wins[bot])) for bot, found in elo.items()}


def win_cells(board: Board) -> list[tuple[VersionId, WinCell]]:
    """Every bot at every table size it has sat at."""
    found = []
    for size in board.win_shares():
        columns = (size.matches, size.share, size.low, size.high, size.mean_placing)
        rows = zip(size.bots, *(column.tolist() for column in columns), strict=True)
        for bot, matches, share, low, high, placing in rows:
            if matches:
                found.append((bot, WinCell(size.seats, matches, share, (low, high), placing)))
    return found
