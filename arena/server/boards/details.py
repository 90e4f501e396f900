"""The details of a ladder, read from storage: comparisons, rating history."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from arena.database.reading import ColumnReader
from arena.database.rows import RatedMatch
from arena.rating.ladder_id import LadderId
from arena.records import Registered, VersionId
from arena.server.boards import ladder_statements
from arena.server.boards.board import TABLE_SIZES
from arena.server.boards.comparisons import AcrossTables, Comparisons, across_tables, comparisons
from arena.server.boards.ladder_log import read_log, registered
from arena.server.boards.live_board import Leaderboard, LiveBoard
from arena.server.boards.model_check import ModelCheck, model_check
from arena.server.boards.rating_history import MOST_POINTS, Point, rating_history


@dataclass(frozen=True, slots=True)
class Details:
    """A ladder at one moment, with its comparisons."""

    ladder: LadderId
    board: Leaderboard
    comparisons: Comparisons | None
    """The comparisons; None before the first match."""
    across_tables: Mapping[VersionId, AcrossTables]
    """The results on all ladders of this game, options and time control, by version."""
    check: ModelCheck | None
    """The model check; None unless it was requested."""


@dataclass(frozen=True, slots=True)
class LadderHistory:
    """The points of a ladder's history, oldest first, and the last match before each."""

    points: tuple[Point, ...]
    matches: tuple[RatedMatch, ...]
    versions: Mapping[VersionId, Registered]


def details(read: ColumnReader, ladder: LadderId, *, check: bool = False) -> Details:
    """Return the ladder with its details; with `check`, also the model check (takes seconds)."""
    board = LiveBoard(ladder, read)
    found = board.now()
    boards = {ladder.sizes: found}
    for sizes in TABLE_SIZES:
        if sizes not in boards:
            other = replace(ladder, seats=tuple(sizes))
            boards[sizes] = LiveBoard(other, read).now()
    return Details(
        ladder,
        found,
        None if found.rated is None else comparisons(found.rated),
        across_ladders(boards),
        model_check(read_log(read, ladder).results(), score=ladder.score) if check else None,
    )


def across_ladders(boards: Mapping[range, Leaderboard]) -> dict[VersionId, AcrossTables]:
    """Return each bot's results on ladders that differ only in table size."""
    ordered = sorted(boards.items(), key=lambda one: one[0].start)
    return across_tables((sizes, one.lines, one.win_shares) for sizes, one in ordered)


def ladder_history(
    read: ColumnReader, board: LiveBoard, points: int = MOST_POINTS
) -> LadderHistory:
    """Return the rating history of the ladder's log, with at most `points` points."""
    now = board.now()
    anchor = now.anchor
    log = read_log(read, board.ladder, up_to=now.sequence)
    found = rating_history(
        log.results(),
        log.sequences,
        anchor=None if anchor is None else anchor.version_id,
        score=board.ladder.score,
        points=points,
    )
    ends = read(ladder_statements.rated_matches([point.sequence for point in found]))
    matches = tuple(RatedMatch(**row._mapping) for row in ends)
    rated = {rating.version_id for point in found for rating in point.ratings}
    return LadderHistory(tuple(found), matches, registered(read, rated))
